import type pg from 'pg'

/** Writes the resulting schema of all migrations, so that a review sees their effect. */
export async function describeSchema(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ text: string }>(`
    select concat_ws(E'\n',
      'table ' || c.relname,
      (select string_agg('  ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
                || case when a.attnotnull then ' not null' else '' end
                || coalesce(case when a.attgenerated <> '' then ' generated as (' else ' default (' end || pg_get_expr(d.adbin, d.adrelid) || ')', ''),
              E'\n' order by a.attnum)
       from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
      (select string_agg('  ' || pg_get_constraintdef(k.oid), E'\n' order by k.contype, pg_get_constraintdef(k.oid))
       from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'),
      (select string_agg('  ' || pg_get_indexdef(i.indexrelid), E'\n' order by pg_get_indexdef(i.indexrelid))
       from pg_index i where i.indrelid = c.oid and not i.indisprimary),
      (select string_agg('  policy ' || p.policyname || case when p.policyname = 'owner' then '' else ' to ' || array_to_string(p.roles, ', ') end || ' using ' || p.qual,
              E'\n' order by p.policyname)
       from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname),
      '  row security ' || case when c.relforcerowsecurity then 'forced' when c.relrowsecurity then 'on' else 'off' end) as text
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') order by c.relname`)
  return [
    '-- Written by `npm run generate` from the migrations. Do not edit; not meant to be run.',
    ...rows.map((row) => row.text),
    '',
  ].join('\n\n')
}
