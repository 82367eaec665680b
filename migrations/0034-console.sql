-- What somebody writes and has not sent yet, under an id of their own choosing: the copy that other devices and the next day find.
create table drafts (
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  kind text collate "C" not null check (kind in ('post', 'reply', 'note')),
  title text not null,
  content text not null,
  -- Grows with every change, so that who saved last on another device is noticed.
  version integer not null default 1,
  primary key (account_id, user_id, id),
  foreign key (account_id, user_id) references users (account_id, id)
);
create index drafts_by_modified on drafts (account_id, user_id, modified, id);
create index drafts_old on drafts (account_id, modified);

-- With what other calendars read a user's calendar; only a digest is kept.
create table calendar_keys (
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  digest bytea not null,
  created timestamptz not null,
  last_used timestamptz,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id)
);
create unique index calendar_keys_by_digest on calendar_keys (account_id, digest);

-- A digest of what a message says, however it is written: none where it was not computed yet, empty where nothing is said.
alter table messages add column words text collate "C";
create index messages_by_words on messages (account_id, words) where words <> '';
drop index messages_unweighed;
create index messages_unweighed on messages (account_id, id) where words is null;
