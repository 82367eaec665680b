-- What networks tell of profiles and of the posts on them.

-- Profiles whose numbers are read.
create table profile_metrics (
  account_id text collate "C" not null,
  credential_id text collate "C" not null,
  network text collate "C" not null,
  created timestamptz not null,
  -- Nobody asks the network about this profile before then: somebody is at it, has just been, or was told to wait.
  not_before timestamptz not null,
  -- How many turns failed in a row, and what went wrong in the last one.
  failures integer not null default 0,
  error text not null default '',
  followers_due timestamptz not null,
  primary key (account_id, credential_id),
  foreign key (account_id, credential_id) references credentials (account_id, id)
);

-- Posts on profiles, with the numbers that were last read.
create table post_metrics (
  account_id text collate "C" not null,
  post_id text collate "C" not null,
  credential_id text collate "C" not null,
  campaign_id text collate "C" not null,
  message_id text collate "C" not null,
  remote_id text collate "C" not null,
  published timestamptz not null,
  -- When they are read next; nothing: not any more.
  due timestamptz,
  last_read timestamptz,
  -- Since when the network tells nothing of it.
  missing_since timestamptz,
  error text not null default '',
  -- Nothing where the network has never told.
  likes bigint,
  comments bigint,
  reshares bigint,
  impressions bigint,
  -- What only some networks tell.
  others jsonb not null default '{}',
  primary key (account_id, post_id, credential_id),
  foreign key (account_id, post_id) references posts (account_id, id)
);
create index post_metrics_due on post_metrics (account_id, credential_id, due) where due is not null;

-- By how much each reading that brought something new was more than the one before.
create table post_metrics_history (
  account_id text collate "C" not null,
  post_id text collate "C" not null,
  credential_id text collate "C" not null,
  at timestamptz not null,
  likes bigint not null,
  comments bigint not null,
  reshares bigint not null,
  impressions bigint not null,
  primary key (account_id, post_id, credential_id, at),
  foreign key (account_id, post_id, credential_id) references post_metrics (account_id, post_id, credential_id)
);
create index post_metrics_history_by_moment on post_metrics_history (account_id, at);

-- What went out within the last year is read too.
insert into post_metrics (account_id, post_id, credential_id, campaign_id, message_id, remote_id, published, due)
select account_id, post_id, credential_id, campaign_id, message_id, remote_id, coalesce(published_date, modified), now() from postlogs
where status = 'success' and remote_id <> '' and coalesce(published_date, modified) > now() - interval '1 year';
