import { ownerQuery } from '../support/database/owner.ts'
import { inOrder } from './collected-contracts.ts'

const notified = inOrder(({ notified }) => notified)

/** Records all row changes with triggers, whichever way the service makes them. */
export async function watchChanges(databaseUrl: string) {
  await ownerQuery(
    databaseUrl,
    `create table noted_changes (kind text, account text, id text, transaction bigint);
    create table noted_entries (account text, hints jsonb, transaction bigint);
    grant insert on noted_changes, noted_entries to chorus_app;
    create function note_entry() returns trigger language plpgsql as $$
    begin
      insert into noted_entries values (new.account_id, new.hints::jsonb, pg_current_xact_id()::text::bigint);
      return null;
    end $$;
    create trigger note after insert on feed_waiting for each row execute function note_entry();
    create function note_change() returns trigger language plpgsql as $$
    declare
      kind text := tg_argv[0];
      unseen text[] := string_to_array(tg_argv[1], ',');
      one jsonb := to_jsonb(coalesce(new, old));
      name text := tg_argv[2];
    begin
      if current_user = 'chorus_app' and (tg_op <> 'UPDATE' or to_jsonb(new) - unseen <> to_jsonb(old) - unseen) then
        insert into noted_changes values (kind, one ->> 'account_id', one ->> name, pg_current_xact_id()::text::bigint);
      end if;
      return null;
    end $$;
    ${notified.map(({ kind, table, unseen, id = 'id' }) => `create trigger note after insert or update or delete on ${table} for each row execute function note_change('${kind}', '${unseen.join(',')}', '${id}');`).join('\n')}`,
  )
}

/** Row changes without a change notification in the same transaction. */
export async function changesWithoutNotification(databaseUrl: string) {
  const seen = await ownerQuery<{ kind: string; count: number }>(
    databaseUrl,
    'select kind, count(*)::int as count from noted_changes group by kind',
  )
  const unnotified = await ownerQuery<{ kind: string; id: string }>(
    databaseUrl,
    `select kind, id from noted_changes c where not exists (
      select from noted_entries e where e.account = c.account and e.transaction = c.transaction and (
        e.hints @> jsonb_build_array(jsonb_build_object('kind', c.kind, 'id', c.id))
        or e.hints @> jsonb_build_array(jsonb_build_object('kind', c.kind, 'id', null))))`,
  )
  return { seen: Object.fromEntries(seen.map(({ kind, count }) => [kind, count])), unnotified }
}
