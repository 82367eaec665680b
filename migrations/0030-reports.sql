-- What reports are answered from, and the dashboards they stand on.

-- What is counted of the inbox and of leads.

alter table inbox_replies
  -- When it was known that the network has it. Of a first answer, how many seconds somebody had waited for it.
  add column sent timestamptz,
  add column response_seconds integer;
update inbox_replies set sent = created where status = 'sent';

-- Where they became known; empty where nobody knows.
alter table leads
  add column network text not null default '',
  add column campaign_id text collate "C" not null default '';
alter table lead_activities add column campaign_id text collate "C" not null default '';

-- How much was counted of people who are deleted, as figures have it: nobody is in it.
create table deleted_lead_facts (
  account_id text collate "C" not null references accounts (id),
  name text not null check (name in ('leads', 'leadActivities')),
  quarter timestamptz not null,
  network text not null,
  campaign_id text collate "C" not null,
  amount integer not null,
  primary key (account_id, quarter, name, network, campaign_id)
);

-- Figures by quarter of an hour (UTC), which is fine enough for the clocks of every zone; in the order of time, as reports read them.
create table quarter_figures (
  account_id text collate "C" not null,
  of_kind text collate "C" not null,
  name text collate "C" not null,
  quarter timestamptz not null,
  of_id text collate "C" not null,
  value bigint not null,
  primary key (account_id, of_kind, name, quarter, of_id)
) with (fillfactor = 70);

-- The same order for days.
create index daily_figures_by_day on daily_figures (account_id, of_kind, name, day);

-- What stands somewhere and is no sum: the last that was known in each quarter of an hour.
create table levels (
  account_id text collate "C" not null,
  of_kind text collate "C" not null,
  of_id text collate "C" not null,
  name text collate "C" not null,
  quarter timestamptz not null,
  value bigint not null,
  -- When it was seen.
  at timestamptz not null,
  primary key (account_id, of_kind, of_id, name, quarter)
);

-- Accounts whose figures are compared with a recount of the facts, and how far that has come.
create table figure_rebuilds (
  account_id text collate "C" not null references accounts (id),
  begun timestamptz not null,
  -- The first day, and the next that is recounted; nothing until they are known.
  first date,
  reached date,
  primary key (account_id)
);
-- Figures of new kinds come from what happened before there were any.
insert into figure_rebuilds (account_id, begun) select id, now() from accounts;

-- A recount reads what happened in the order of time.
create index conversions_by_created on conversions (account_id, created);
create index postlogs_by_moment on postlogs (account_id, (coalesce(published_date, modified)));
create index shares_by_published on shares (account_id, published_date) where status = 'complete';
create index inbox_entries_counted on inbox_entries (account_id, created) where not is_own or type = 'status';
create index inbox_replies_by_sent on inbox_replies (account_id, sent) where sent is not null;

create table dashboards (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  -- Empty for those that every account starts with.
  created_by text collate "C" not null,
  name text not null,
  description text not null default '',
  type text not null default 'custom' check (type in ('custom', 'template')),
  visibility text not null check (visibility in ('shared', 'private')),
  link_sharing_visibility text not null default 'none' check (link_sharing_visibility in ('none')),
  -- Whether it is for some teams alone; that stays when the last of them is deleted.
  for_teams boolean not null default false,
  range jsonb not null,
  filters jsonb not null default '{}',
  primary key (account_id, id)
);
create index dashboards_by_created on dashboards (account_id, created, id);
create index dashboards_by_name on dashboards (account_id, lower(name), id);
create index dashboards_by_creator on dashboards (account_id, created_by, created, id);

create table dashboard_widgets (
  account_id text collate "C" not null,
  id text collate "C" not null,
  dashboard_id text collate "C" not null,
  created timestamptz not null,
  modified timestamptz not null,
  type text not null default 'report' check (type in ('report')),
  name text not null,
  description text not null default '',
  chart_type text not null check (chart_type in ('line', 'bar', 'stacked', 'pie', 'number', 'table')),
  source text not null,
  x integer not null,
  y integer not null,
  width integer not null,
  height integer not null,
  -- Measures, dimensions and what else a report is made of.
  report jsonb not null,
  primary key (account_id, id),
  foreign key (account_id, dashboard_id) references dashboards (account_id, id) on delete cascade
);
create index dashboard_widgets_of_dashboard on dashboard_widgets (account_id, dashboard_id, y, x, id);

create table dashboard_teams (
  account_id text collate "C" not null,
  dashboard_id text collate "C" not null,
  team_id text collate "C" not null,
  primary key (account_id, dashboard_id, team_id),
  foreign key (account_id, dashboard_id) references dashboards (account_id, id) on delete cascade,
  foreign key (account_id, team_id) references teams (account_id, id) on delete cascade
);
create index dashboard_teams_of_team on dashboard_teams (account_id, team_id);

create table dashboard_favorites (
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  dashboard_id text collate "C" not null,
  primary key (account_id, user_id, dashboard_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  foreign key (account_id, dashboard_id) references dashboards (account_id, id) on delete cascade
);
create index dashboard_favorites_of_dashboard on dashboard_favorites (account_id, dashboard_id);

-- Accounts that were given the dashboards everybody starts with: who deletes one does not get it again.
create table dashboard_starts (
  account_id text collate "C" not null references accounts (id),
  created timestamptz not null,
  primary key (account_id)
);
