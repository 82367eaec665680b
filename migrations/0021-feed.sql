-- What changed, as browsers hear of it: hints without content, one row per change, kept for an hour. Whoever writes one takes the head of the
-- account first and holds it until the commit: so numbers come in the order of commits and leave none out, on every kind of cluster.
create table feed_heads (
  account_id text collate "C" primary key,
  last bigint not null,
  -- That of the entry: the same number in another course of things, after a restore for example, has another mark.
  mark text collate "C" not null
) with (fillfactor = 50);

create table feed_entries (
  account_id text collate "C" not null,
  number bigint not null,
  mark text collate "C" not null,
  created timestamptz not null,
  created_by text collate "C" not null,
  -- A JSON array, as text: nothing looks into it before it is told.
  hints text not null,
  primary key (account_id, number)
);
