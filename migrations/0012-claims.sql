-- A key is claimed in a transaction of its own, before the work: by whom, and until when without a sign of life. Both are empty once
-- the answer is final; an answer beside a lease belongs to a change that stands but whose end nobody has seen.
alter table idempotency_keys add column claim text collate "C";
alter table idempotency_keys add column lease_until timestamptz;

-- Content that is on its way into the store counts as used, so that nobody removes it and whoever makes an asset of it need not
-- ask the store. A row that stays belongs to a process that was killed.
create table file_holds (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  digest text collate "C" not null,
  created timestamptz not null,
  primary key (account_id, id),
  foreign key (account_id, digest) references stored_files (account_id, digest)
);
create index file_holds_by_created on file_holds (account_id, created);

-- Set while a campaign is archived but its posts are not yet taken back: what was under way is waited for first.
alter table campaigns add column ending boolean not null default false;
