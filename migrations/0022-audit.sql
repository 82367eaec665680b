-- Who changed what, when and from where: names and ids, and nothing of what was sent. A row is written in the transaction of the change
-- it tells of. Nothing is referred to by a foreign key: what is told here stays when what it names is gone, and no row of others is
-- locked for it.
create table deeds (
  account_id text collate "C" not null,
  -- In the order of time.
  id text collate "C" not null,
  created timestamptz not null,
  -- Empty where the operator did it.
  user_id text collate "C" not null,
  via text collate "C" not null check (via in ('key', 'session', 'password', 'link', 'operator')),
  -- Which key or session.
  via_id text collate "C" not null,
  address text not null,
  operation text collate "C" not null,
  -- What was changed.
  entity_id text collate "C" not null,
  fields text[] not null,
  -- How many were changed at once.
  count integer not null,
  -- Somebody tried to sign in and had no right password; nothing else that is refused stands here.
  refused boolean not null default false,
  primary key (account_id, id)
);
create index deeds_by_user on deeds (account_id, user_id, id);
create index deeds_by_operation on deeds (account_id, operation, id);
create index deeds_by_entity on deeds (account_id, entity_id, id);
-- Programs with keys make most of the rows: what is done in other ways is few, and found without going through theirs.
create index deeds_by_via on deeds (account_id, via, id) where via <> 'key';
create index deeds_refused on deeds (account_id, user_id, id) where refused;
