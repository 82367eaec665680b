-- What the console shows of approvals, people and profiles.

-- Since when an item waits at its step, and when those who are missing there were last reminded.
alter table workflow_items add column waiting_since timestamptz;
update workflow_items set waiting_since = modified;
alter table workflow_items alter column waiting_since set not null;
alter table workflow_items add column reminded timestamptz;
create index workflow_items_by_author on workflow_items (account_id, created_by, created, id);
create index workflow_items_decided on workflow_items (account_id, modified, id) where status in ('approved', 'rejected');

-- What content said in each round of its item: every change of it begins another.
create table workflow_wordings (
  account_id text collate "C" not null,
  item_id text collate "C" not null,
  round integer not null,
  created timestamptz not null,
  created_by text collate "C" not null,
  -- Name and text of each part, in their order.
  parts jsonb not null,
  primary key (account_id, item_id, round),
  foreign key (account_id, item_id) references workflow_items (account_id, id)
);

-- When somebody was last invited, and by whom; who has chosen a password has come.
alter table users add column invited timestamptz;
alter table users add column invited_by text collate "C" not null default '';
-- They were on boards before, and stay there when the invitation is withdrawn.
alter table users add column invited_advocate boolean not null default false;
create index users_invited on users (account_id, invited, id) where invited is not null and password_hash is null;

-- Since when a profile cannot be used.
alter table credentials add column invalid_since timestamptz;
update credentials set invalid_since = modified where status = 'invalid';
-- When something last went out on a profile.
create index postlogs_sent on postlogs (account_id, credential_id, (coalesce(published_date, modified))) where status = 'success';

-- Whether what a login has opened is for shares of its owner alone.
alter table connect_offers add column board_only boolean not null default false;

-- Pictures of others as they are shown here: small, made anew from what was fetched.
create table pictures (
  account_id text collate "C" not null references accounts (id),
  -- Of the address.
  digest bytea not null,
  fetched timestamptz not null,
  -- Nothing where there was no picture that can be shown.
  content bytea,
  primary key (account_id, digest)
);
create index pictures_by_age on pictures (account_id, fetched);
