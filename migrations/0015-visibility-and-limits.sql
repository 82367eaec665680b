-- What lost its last team because that team was deleted. Without a team everybody would see it, which nobody has decided: until
-- somebody does, it is seen by admins only.
create table restricted_entities (
  account_id text collate "C" not null references accounts (id),
  entity_id text collate "C" not null,
  created timestamptz not null,
  primary key (account_id, entity_id)
);

-- What an account has made of each kind, at most: making counts up, deleting does not count down. Where a limit seems to be reached
-- the things themselves are counted. In parts, so that those who make something at the same moment do not wait for each other.
create table account_usage (
  account_id text collate "C" not null references accounts (id),
  kind text collate "C" not null,
  part integer not null,
  used integer not null default 0,
  primary key (account_id, kind, part)
) with (fillfactor = 50);
