-- What somebody looks at again and again: the filters of a screen, under a name of their own.
create table saved_views (
  account_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  screen text not null check (screen in ('calendar', 'campaigns')),
  name text not null,
  -- As it stands in the address behind the question mark.
  search text not null,
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id)
);
create unique index saved_views_of_user on saved_views (account_id, user_id, screen, lower(name));
