-- Work to be done, recorded in the transaction that wants it. Coordination tables: they belong to the installation, not to an
-- account, so that one statement can claim work of every account; `account` says whose work it is.
create table jobs (
  id text collate "C" primary key,
  queue text collate "C" not null,
  name text collate "C" not null,
  -- At most one waiting job of a name has this key.
  key text collate "C",
  account text collate "C",
  payload jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'dead')),
  priority integer not null default 0,
  created timestamptz not null,
  due timestamptz not null,
  attempts integer not null default 0,
  -- Grows with every claim: whoever held the job before can no longer finish it.
  fence bigint not null default 0,
  worker text collate "C",
  last_error text
);
create index jobs_due on jobs (queue, priority, due, id) where state = 'waiting';
create index jobs_of_worker on jobs (worker) where state = 'running';
create index jobs_by_state on jobs (state, queue, due);
create unique index jobs_key on jobs (name, key) where key is not null and state = 'waiting';

-- The processes that run jobs. A worker lives while it renews its lease; times are the database's, so clocks need not agree.
create table job_workers (
  id text collate "C" primary key,
  lease_until timestamptz not null
);

-- When each recurring job is due next; whoever moves the time forward enqueues the job in the same transaction.
create table job_schedule (
  name text collate "C" primary key,
  next timestamptz not null
);

-- The accounts there are, for work that concerns each of them. Row security shows the service one account at a time.
create function chorus_account_ids() returns setof text language sql stable security definer set search_path = public
  as 'select id from accounts order by id';
revoke all on function chorus_account_ids() from public;
