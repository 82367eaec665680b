-- Streams: what networks show, in columns on tabs that everybody of an account has in common.

create table stream_tabs (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  name text not null,
  status text not null default 'active',
  primary key (account_id, id)
);
create index stream_tabs_by_created on stream_tabs (account_id, created, id);
create index stream_tabs_by_name on stream_tabs (account_id, lower(name), id);

-- What is asked of a network in the name of a profile. Streams that ask the same have one feed, which is fetched once.
create table stream_feeds (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created timestamptz not null,
  credential_id text collate "C" not null,
  network text not null,
  type text not null,
  -- The words, the list or the account that it is about; empty where it is about the profile itself.
  keyword text collate "C" not null default '',
  -- When somebody looked at it last: what nobody looks at is not fetched.
  looked timestamptz not null,
  -- The network is not asked before then.
  not_before timestamptz not null,
  -- When the network answered last, and when it last did not, and why.
  fetched timestamptz,
  failed timestamptz,
  failures integer not null default 0,
  error text not null default '',
  -- Each item that is new gets the next one.
  last_place integer not null default 0,
  primary key (account_id, id),
  foreign key (account_id, credential_id) references credentials (account_id, id)
);
create unique index stream_feeds_asked on stream_feeds (account_id, credential_id, type, keyword);

create table streams (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  stream_tab_id text collate "C" not null,
  feed_id text collate "C" not null,
  credential_id text collate "C" not null,
  network text not null,
  type text not null,
  name text not null,
  position integer not null,
  primary key (account_id, id),
  foreign key (account_id, stream_tab_id) references stream_tabs (account_id, id),
  foreign key (account_id, feed_id) references stream_feeds (account_id, id)
);
create index streams_by_position on streams (account_id, position, id);
create index streams_by_created on streams (account_id, created, id);
create index streams_of_tab on streams (account_id, stream_tab_id, position, id);
create index streams_of_feed on streams (account_id, feed_id, id);

-- What a feed showed last, the newest of it; words of strangers, cleaned and bounded.
create table stream_items (
  account_id text collate "C" not null,
  feed_id text collate "C" not null,
  -- The network's id of it.
  remote_id text collate "C" not null,
  -- In the order of the network: the highest stands first.
  place integer not null,
  kind text not null,
  at timestamptz not null,
  post_id text collate "C" not null default '',
  person_id text collate "C" not null default '',
  person_name text not null default '',
  person_username text not null default '',
  person_picture text not null default '',
  text text not null default '',
  media jsonb not null default '[]',
  url text not null default '',
  primary key (account_id, feed_id, remote_id),
  foreign key (account_id, feed_id) references stream_feeds (account_id, id) on delete cascade
);
create index stream_items_by_place on stream_items (account_id, feed_id, place);
