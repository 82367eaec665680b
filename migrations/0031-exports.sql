-- Exports: what is written to a file again and again, and where the file is brought.
create table exports (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  created_by text collate "C" not null,
  type text not null check (type in ('Posts', 'Clicks', 'Conversions', 'Links', 'Campaigns', 'Advocates', 'Leads', 'Inbox')),
  destination_type text not null check (destination_type in ('email', 'azure', 'FTP', 'SFTP', 'S3_bucket')),
  -- What may be shown of the destination, by the names of its type.
  destination jsonb not null,
  -- What may not: encrypted; nothing where the destination needs none.
  secret text,
  status text not null check (status in ('active', 'inactive')),
  frequency text not null check (frequency in ('daily', 'weekly', 'monthly')),
  -- 0 is Sunday.
  weekday integer not null check (weekday between 0 and 6),
  month_day integer not null check (month_day between 1 and 28),
  hour integer not null check (hour between 0 and 23),
  timezone text not null,
  time_range text not null check (time_range in ('yesterday', 'last-7-days', 'last-30-days', 'last-90-days', 'last-week', 'last-month', 'all-time')),
  -- Nothing while it is inactive.
  next_run timestamptz,
  -- When the last file was delivered, and by which run.
  last_run timestamptz,
  last_run_id text collate "C",
  primary key (account_id, id)
);
create index exports_by_created on exports (account_id, created, id);
create index exports_by_type on exports (account_id, lower(type), id);
create index exports_by_status on exports (account_id, lower(status), id);
create index exports_by_destination on exports (account_id, lower(destination_type), id);
create index exports_by_frequency on exports (account_id, lower(frequency), id);
create index exports_by_last_run on exports (account_id, last_run, id);
create index exports_due on exports (account_id, next_run) where next_run is not null;

create table export_runs (
  account_id text collate "C" not null,
  id text collate "C" not null,
  export_id text collate "C" not null,
  created timestamptz not null,
  -- Who asked for it; nobody where it was due.
  created_by text collate "C" not null,
  -- What is written: from here on, and before that.
  starts timestamptz not null,
  ends timestamptz not null,
  status text not null check (status in ('waiting', 'writing', 'delivering', 'done', 'failed')),
  attempts integer not null default 0,
  error text not null default '',
  -- The file, once it is whole; its key is empty again when it was removed.
  file_key text collate "C" not null default '',
  file_name text not null default '',
  rows bigint not null default 0,
  -- How many could not be read and were left out.
  unreadable bigint not null default 0,
  bytes bigint not null default 0,
  digest text collate "C" not null default '',
  finished timestamptz,
  primary key (account_id, id),
  foreign key (account_id, export_id) references exports (account_id, id) on delete cascade
);
create index export_runs_by_export on export_runs (account_id, export_id, created, id);
create index export_runs_by_created on export_runs (account_id, created, id);

-- Exports read conversions by when they happened, and conversations by when they began.
create index clicks_by_converted on clicks (account_id, converted, id) where class = 'human' and converted is not null;
create index inbox_items_by_created on inbox_items (account_id, created, id);
