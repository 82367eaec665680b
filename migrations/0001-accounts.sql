-- The account area. Every tenant table leads its keys with account_id, so that the schema can be distributed by account.
-- Row-level security is the second belt: chorus_app owns nothing and sees only the account named by chorus.account_id.

create function chorus_account() returns text language sql stable parallel safe
  return nullif(current_setting('chorus.account_id', true), '');

create table accounts (
  id text collate "C" primary key,
  created timestamptz not null,
  modified timestamptz not null,
  name text not null,
  status text not null default 'active' check (status in ('active', 'disabled'))
);

create table users (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  status text not null default 'active' check (status in ('active', 'disabled', 'deleted')),
  first_name text not null,
  last_name text not null,
  name text not null generated always as (btrim(first_name || ' ' || last_name)) stored,
  email text not null,
  role text check (role in ('admin', 'publisher', 'contributor', 'read')),
  password_hash text,
  timezone text not null default 'UTC',
  media_library boolean not null default true,
  last_login timestamptz,
  last_board_login timestamptz,
  has_browser_extension boolean not null default false,
  linked_in_id text not null default '',
  linked_in_name text not null default '',
  linked_in_image_url text not null default '',
  twitter_id text not null default '',
  twitter_name text not null default '',
  twitter_image_url text not null default '',
  facebook_id text not null default '',
  facebook_name text not null default '',
  facebook_image_url text not null default '',
  primary key (account_id, id)
);
-- A deleted user keeps its row, because content names its author; the address becomes free again.
create unique index users_email on users (account_id, lower(email)) where status <> 'deleted';
create index users_by_created on users (account_id, created, id) where status <> 'deleted' and role is not null;
create index users_by_name on users (account_id, lower(name), id) where status <> 'deleted' and role is not null;
create index users_by_email on users (account_id, lower(email), id) where status <> 'deleted' and role is not null;

create table api_keys (
  account_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C" not null,
  created timestamptz not null,
  name text not null,
  digest bytea not null,
  last_used timestamptz,
  expires timestamptz,
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id)
);
create unique index api_keys_digest on api_keys (account_id, digest);
create index api_keys_by_user on api_keys (account_id, user_id, created, id);

create table teams (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  name text not null,
  primary key (account_id, id)
);
create index teams_by_created on teams (account_id, created, id);
create index teams_by_name on teams (account_id, lower(name), id);

create table team_entities (
  account_id text collate "C" not null,
  entity_id text collate "C" not null,
  team_id text collate "C" not null,
  created timestamptz not null,
  primary key (account_id, entity_id, team_id),
  foreign key (account_id, team_id) references teams (account_id, id) on delete cascade
);
create index team_entities_by_team on team_entities (account_id, team_id, entity_id);

create table notification_settings (
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  email_daily boolean not null default true,
  email_weekly boolean not null default true,
  email_campaign_complete boolean not null default true,
  email_on_new_assignment boolean not null default true,
  email_on_note_added boolean not null default true,
  email_on_note_mention boolean not null default true,
  email_on_status_change boolean not null default true,
  send_daily_email_report boolean not null default false,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id)
);

-- The first answer to a POST that carried an Idempotency-Key, written in the transaction of its effect.
create table idempotency_keys (
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  key text collate "C" not null,
  created timestamptz not null,
  request_digest bytea not null,
  status integer,
  answer text,
  primary key (account_id, user_id, key),
  foreign key (account_id, user_id) references users (account_id, id)
);
create index idempotency_keys_by_created on idempotency_keys (account_id, created);

-- What several processes must agree on about one user's calls; see src/kernel/limits.
create table call_limits (
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  day date not null,
  day_count integer not null default 0,
  -- The count when every process last agreed on it: what is left from there is divided among them.
  day_base integer not null default 0,
  blocked_until timestamptz,
  -- While shared, every process decides each call of the user on this row; sharers have handed in their own calls.
  shared_since timestamptz,
  shared_until timestamptz,
  sharers text[] not null default '{}',
  calls bigint[] not null default '{}',
  primary key (account_id, user_id)
);

-- The processes that count calls: a coordination table, not a tenant's. A closed one stays until its calls have aged.
create table call_counters (
  id text collate "C" primary key,
  seen timestamptz not null,
  -- The other processes it reckons with.
  peers text[] not null default '{}',
  closed boolean not null default false
);

-- One row per installation: facts every process of it must share.
create table installation (
  singleton boolean primary key default true check (singleton),
  created timestamptz not null,
  demo_api_key text
);
