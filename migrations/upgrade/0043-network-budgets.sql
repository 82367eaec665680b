-- What an installation used of each network's budgets, by day and by what it was for. Apps are shared by all accounts, so this belongs to none.
create table network_usage (
  network text collate "C" not null,
  budget text collate "C" not null,
  -- The start of the day, as the network counts days.
  period timestamptz not null,
  purpose text collate "C" not null,
  used bigint not null,
  primary key (network, budget, period, purpose)
);

-- What networks told: reading from this app, profile or endpoint has to wait. Publishing does not look here.
create table network_pauses (
  network text collate "C" not null,
  scope text collate "C" not null,
  holder text collate "C" not null,
  until timestamptz not null,
  primary key (network, scope, holder)
);

-- The newest that reading a profile's inbox has seen, for networks that can be asked for what came later.
alter table inbox_profiles add column marker text not null default '';
