import { ownerQuery } from '#kernel/database/owner.ts'

/** Everything that defines the schema of a database, one line each, in order; equal lists mean equal schemas. */
export async function schemaOf(url: string): Promise<string[]> {
  const rows = await ownerQuery<{ line: string }>(url, lines)
  return rows.map(({ line }) => line)
}

const lines = `
  with own as (
    select c.oid, c.relname, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.reloptions, c.relpersistence
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'S'))
  select concat_ws(' ', case relkind when 'S' then 'sequence' else 'table' end, relname, relpersistence, reloptions::text,
    'row security', relrowsecurity, relforcerowsecurity, obj_description(oid, 'pg_class')) as line from own
  union all
  select concat_ws(' ', 'column', relname, row_number() over (partition by c.oid order by attnum), attname, format_type(atttypid, atttypmod),
    'not null', attnotnull, 'collate', (select collname from pg_collation l where l.oid = attcollation),
    'identity', attidentity, 'generated', attgenerated, 'storage', attstorage, pg_get_expr(adbin, adrelid))
  from own c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
  left join pg_attrdef on adrelid = c.oid and adnum = attnum where relkind <> 'S'
  union all
  select concat_ws(' ', 'constraint', relname, conname, pg_get_constraintdef(k.oid), convalidated)
  from own c join pg_constraint k on k.conrelid = c.oid
  union all
  select concat_ws(' ', 'index', pg_get_indexdef(indexrelid), indisvalid) from own c join pg_index on indrelid = c.oid
  union all
  select concat_ws(' ', 'policy', tablename, policyname, permissive,
    case when policyname = 'owner' then roles = array[current_user] else roles = '{chorus_app}' end, cmd, qual, with_check)
  from pg_policies where schemaname = 'public'
  union all
  select concat_ws(' ', 'privilege', relname, needed) from own,
    unnest('{select,insert,update,delete,truncate,references,trigger}'::text[]) needed
  where relkind <> 'S' and has_table_privilege('chorus_app', oid, needed)
  union all
  select concat_ws(' ', 'function', pg_get_functiondef(p.oid), has_function_privilege('chorus_app', p.oid, 'execute'), has_function_privilege('public', p.oid, 'execute'))
  from pg_proc p where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  union all
  select 'trigger ' || pg_get_triggerdef(t.oid) from pg_trigger t join own on own.oid = tgrelid where not tgisinternal
  order by 1`
