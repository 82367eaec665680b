-- Conventional names. Indexes and constraints follow their tables, so that an upgraded schema equals the baseline.

alter table call_limits rename to rate_limits;
alter table click_bundles rename to click_batches;
alter table daily_figures rename to daily_rollups;
alter table dashboard_starts rename to dashboard_setups;
alter table deeds rename to audit_log;
alter table deleted_lead_facts rename to deleted_lead_counts;
alter table digest_letters rename to digest_emails;
alter table figure_rebuilds rename to counter_rebuilds;
alter table figures rename to counters;
alter table file_holds rename to file_reservations;
alter table inbox_arrivals rename to inbox_activities;
alter table inbox_readers rename to inbox_read_cursors;
alter table inbox_reads rename to inbox_item_reads;
alter table lead_remotes rename to lead_references;
alter table levels rename to gauges;
alter table media_holds rename to media_references;
alter table network_holds rename to network_publishing_pauses;
alter table network_pauses rename to network_read_pauses;
alter table profile_lanes rename to profile_partitions;
alter table push_addresses rename to push_routes;
alter table quarter_figures rename to quarter_hour_rollups;
alter table sign_in_tries rename to sign_in_attempts;
alter table tagged rename to entity_tags;
alter table webhook_lanes rename to webhook_partitions;
alter table workflow_wordings rename to workflow_item_versions;

alter table credentials rename column warned_of to notified_expiry;
alter table sends rename column searches to confirmations;
alter table sign_in_attempts rename column tries to attempts;
alter table stories rename column turns to phase_ends;
alter table stream_feeds rename column last_place to last_position;
alter table stream_feeds rename column looked to last_viewed;
alter table stream_items rename column place to position;

-- Indexes, which also renames the primary keys they belong to, sequences and constraints. A cluster cannot rename constraints of distributed
-- tables; there they keep their names.
do $$
declare
  renamed text[][] := array[
    ['call_limits', 'rate_limits'], ['click_bundles', 'click_batches'], ['daily_figures', 'daily_rollups'], ['dashboard_starts', 'dashboard_setups'],
    ['deeds', 'audit_log'], ['deleted_lead_facts', 'deleted_lead_counts'], ['digest_letters', 'digest_emails'], ['engine_state', 'sending_state'],
    ['figure_rebuilds', 'counter_rebuilds'], ['figures', 'counters'], ['file_holds', 'file_reservations'], ['inbox_arrivals', 'inbox_activities'],
    ['inbox_readers', 'inbox_read_cursors'], ['inbox_reads', 'inbox_item_reads'], ['lead_remotes', 'lead_references'], ['levels', 'gauges'],
    ['media_holds', 'media_references'], ['network_holds', 'network_publishing_pauses'], ['network_pauses', 'network_read_pauses'],
    ['profile_lanes', 'profile_partitions'], ['push_addresses', 'push_routes'], ['quarter_figures', 'quarter_hour_rollups'],
    ['sign_in_tries', 'sign_in_attempts'], ['tagged', 'entity_tags'], ['webhook_lanes', 'webhook_partitions'],
    ['workflow_wordings', 'workflow_item_versions']];
  pair text[];
  found record;
begin
  foreach pair slice 1 in array renamed
  loop
    for found in
      select c.relname as name, c.relkind as kind, pair[2] || substr(c.relname, length(pair[1]) + 1) as wanted from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('i', 'S') and starts_with(c.relname, pair[1] || '_')
    loop
      execute format('alter %s %I rename to %I', case found.kind when 'i' then 'index' else 'sequence' end, found.name, found.wanted);
    end loop;
    if to_regclass('pg_dist_partition') is null then
      for found in
        select k.conname as name, k.conrelid::regclass as owner, pair[2] || substr(k.conname, length(pair[1]) + 1) as wanted from pg_constraint k
        where k.connamespace = 'public'::regnamespace and k.conrelid = to_regclass('public.' || pair[2]) and starts_with(k.conname, pair[1] || '_')
          and k.contype <> 'n'
      loop
        execute format('alter table %s rename constraint %I to %I', found.owner, found.name, found.wanted);
      end loop;
    end if;
  end loop;
end $$;

-- PostgreSQL 18 names the constraints of columns that are not null; former names of tables and columns are in some of these.
do $$
declare
  found record;
begin
  if to_regclass('pg_dist_partition') is not null then
    return;
  end if;
  for found in
    select k.conname as name, c.oid::regclass as owner, c.relname || '_' || a.attname || '_not_null' as wanted
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
    where k.contype = 'n' and c.relnamespace = 'public'::regnamespace and length(c.relname || '_' || a.attname || '_not_null') < 64
      and k.conname <> c.relname || '_' || a.attname || '_not_null'
  loop
    execute format('alter table %s rename constraint %I to %I', found.owner, found.name, found.wanted);
  end loop;
end $$;

-- The functions that name renamed tables.
drop function chorus_forget_deeds(text, text, integer);
create function chorus_delete_audit_entries(account text, before text, most integer) returns integer
  language plpgsql volatile security definer set search_path = public
  as $$
declare
  gone integer;
begin
  if account is distinct from chorus_account() then
    return 0;
  end if;
  delete from audit_log where account_id = account and id in (
    select id from audit_log where account_id = account and id < before order by id limit most);
  get diagnostics gone = row_count;
  return gone;
end
$$;
revoke all on function chorus_delete_audit_entries(text, text, integer) from public;

create or replace function chorus_inbox_search(account text, question tsquery, most integer)
  returns table (item_id text, status text, item_type text, network text, assignee_id text, credential_id text, last_activity timestamptz)
  language plpgsql stable security definer set search_path = public set enable_seqscan = off set enable_indexscan = off
  as $$
begin
  if account is distinct from chorus_account() then
    return;
  end if;
  -- Planned for these terms: their frequency decides how they are found.
  return query execute
    'select id, status, item_type, network, assignee_id, credential_id, last_activity from inbox_items
     where account_id = $1 and words @@ $2 limit $3' using account, question, most;
end
$$;

-- Jobs that wait, run or are dead, and the next runs of recurring ones.
update jobs set name = 'account.delete-old-audit-entries' where name = 'account.forget-old-deeds';
update jobs set name = 'advocacy.advance-stories' where name = 'advocacy.turn-stories';
update jobs set name = 'analytics.create-dashboards' where name = 'analytics.start-dashboards';
update jobs set name = 'counters.rebuild-counters' where name = 'figures.rebuild-figures';
update jobs set name = 'inbox.forget-activities' where name = 'inbox.forget-arrivals';
update jobs set name = 'inbox.ingest-activities' where name = 'inbox.place-arrivals';
update jobs set name = 'inbox.release-activities' where name = 'inbox.release-arrivals';
update jobs set name = 'publishing.measure-messages' where name = 'publishing.weigh-messages';
update job_schedule set name = 'account.delete-old-audit-entries' where name = 'account.forget-old-deeds';
update job_schedule set name = 'advocacy.advance-stories' where name = 'advocacy.turn-stories';
update job_schedule set name = 'analytics.create-dashboards' where name = 'analytics.start-dashboards';
update job_schedule set name = 'counters.rebuild-counters' where name = 'figures.rebuild-figures';
update job_schedule set name = 'inbox.forget-activities' where name = 'inbox.forget-arrivals';
update job_schedule set name = 'inbox.ingest-activities' where name = 'inbox.place-arrivals';
update job_schedule set name = 'inbox.release-activities' where name = 'inbox.release-arrivals';
update job_schedule set name = 'publishing.measure-messages' where name = 'publishing.weigh-messages';
