-- Who is signed in to the console. The cookie holds the account and 256 random bits; only a digest of these is kept.
create table sessions (
  account_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C" not null,
  created timestamptz not null,
  last_used timestamptz not null,
  -- After this it counts no more, however often it was used.
  ends timestamptz not null,
  stays boolean not null default false,
  address text not null,
  agent text not null,
  digest bytea not null,
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id)
);
create unique index sessions_digest on sessions (account_id, digest);
create index sessions_by_user on sessions (account_id, user_id, last_used, id);

-- Links that let somebody in once: of each purpose a user has one at a time.
create table sign_in_links (
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  purpose text not null check (purpose in ('invitation', 'reset', 'entry')),
  created timestamptz not null,
  ends timestamptz not null,
  digest bytea not null,
  primary key (account_id, user_id, purpose),
  foreign key (account_id, user_id) references users (account_id, id)
);
create unique index sign_in_links_digest on sign_in_links (account_id, digest);

-- In which accounts an address can sign in: asked before the account is known.
create table user_emails (
  email text collate "C" not null,
  account text collate "C" not null,
  user_id text collate "C" not null,
  primary key (email, account)
);
insert into user_emails (email, account, user_id) select lower(email), account_id, id from users where status <> 'deleted';

-- Passwords that did not fit, by a digest of e-mail, address or both; and from where somebody has signed in before.
create table sign_in_tries (
  subject bytea primary key,
  tries integer not null,
  last timestamptz not null,
  known timestamptz
);
create index sign_in_tries_by_last on sign_in_tries (last);
