-- How one caller stands with its limits, and which part of them each process holds; see src/kernel/limits. Callers of all accounts are
-- written together: the table belongs to no account.
drop policy if exists own_account on call_limits;
drop policy if exists owner on call_limits;
alter table call_limits no force row level security;
alter table call_limits disable row level security;
-- The account, a blank, and who of it calls.
alter table call_limits add column caller text collate "C";
update call_limits set caller = account_id || ' ' || user_id;
alter table call_limits drop column account_id, drop column user_id;
alter table call_limits add primary key (caller);
alter table call_limits drop column day_base, drop column shared_since, drop column shared_until, drop column sharers;
-- By process: how many calls it may admit by itself in each window, and of the day beyond those counted. `calls` are the last ones of
-- processes that have left; whoever takes their part counts them as its own.
alter table call_limits add column parts jsonb not null default '{}';
drop table call_counters;
