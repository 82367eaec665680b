import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { camelName } from '#kernel/database/statement/statement.ts'
import type { DB } from '#kernel/database/tables.ts'
import { areas } from '#main/registry.ts'

type Table = keyof DB

/** The only writer of each table: an area by its manifest, a part of the kernel, or main. */
const owners: { readonly [table: string]: string } = {
  accountUsage: 'kernel/quotas',
  rateLimits: 'kernel/limits',
  feedEntries: 'kernel/changes',
  feedHeads: 'kernel/changes',
  feedWaiting: 'kernel/changes',
  idempotencyKeys: 'kernel/http',
  installation: 'main',
  jobSchedule: 'kernel/jobs',
  jobWorkers: 'kernel/jobs',
  jobs: 'kernel/jobs',
  migrations: 'kernel/database',
  pictures: 'kernel/pictures',
  ...Object.fromEntries(areas.flatMap(({ name, tables = [] }) => tables.map((table) => [table, name]))),
}

/** Files that choose the table at run time, with the possible tables; none if the owner passes it in, or if all are restored. */
const chosen: { readonly [file: string]: readonly Table[] } = {
  'src/areas/inbox/inbox.personal-data.ts': [
    'inboxItems',
    'inboxEntries',
    'inboxReplies',
    'inboxCases',
    'cannedResponses',
    'inboxViews',
    'conversationTags',
  ],
  'src/areas/sending/sender.ts': ['sendingState'],
  'src/kernel/database/transfer/load.ts': [],
  'src/kernel/jobs/partitions.ts': [],
  'src/kernel/quotas/quotas.ts': [],
  'src/kernel/secrets/reencrypt.ts': [],
}

interface Source {
  name: string
  text: string
}

interface Write {
  file: string
  /** Undefined if it is chosen at run time. */
  table: string | undefined
}

/** Tests, fixtures and the demo, which only fills an empty database, are exempt. */
const isNoSource = /\.(test|fixture|demo)\.ts$/

const sources: readonly Source[] = readdirSync('src', { recursive: true })
  .map((name) => join('src', String(name)))
  .filter((name) => /\.(ts|mjs)$/.test(name) && !isNoSource.test(name))
  .map((name) => ({ name, text: readFileSync(name, 'utf8') }))

const comment = /^\s*(?:\/\/|\/?\*).*$/gm
/** Queries of the query builder. */
const built = /\.(?:insertInto|updateTable|deleteFrom|mergeInto|replaceInto)\(\s*(?:'(\w+)(?: as \w+)?')?/g
/** Insertions that reserve quota. */
const reserving = /\binto:\s*'(\w+)'/g
/** Raw SQL; the text that follows belongs to the same statement. */
const written = [
  /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+(?:only\s+)?(?:public\.)?(?:"?(\w+)|\$\{)/gi,
  /\bupdate\s+(?:only\s+)?(?:public\.)?(?:"?(\w+)"?|\$\{[^}]*\})(?:\s+(?:as\s+)?\w+)?\s+set\b/gi,
]

function writesIn({ name: file, text }: Source): Write[] {
  const code = text.replace(comment, '')
  return [built, reserving, ...written].flatMap((pattern) =>
    [...code.matchAll(pattern)].map(([, table]) => ({ file, table: table && camelName(table) })),
  )
}

function ownerAt(file: string): string {
  const [, folder = '', part = ''] = file.replace(/\.\w+$/, '').split('/')
  if (folder === 'areas') return part
  return folder === 'main' ? folder : `${folder}/${part}`
}

/** Writes to tables by code other than their owner. */
function foreignWrites(writes: readonly Write[]): string[] {
  const known = new Map<string, string>(Object.entries(owners))
  const named = writes.flatMap(({ file, table }) =>
    table === undefined ? (chosen[file] ?? []).map((one) => ({ file, table: one })) : [{ file, table }],
  )
  const foreign = named.filter(({ file, table }) => known.get(table) !== ownerAt(file))
  return [...new Set(foreign.map(({ file, table }) => `${file}: ${table}`))].sort()
}

const writes = sources.flatMap(writesIn)

test('every table has an owner that exists and writes it', () => {
  const [, body = ''] =
    /^export interface DB \{\n([\s\S]*?)^\}/m.exec(readFileSync('src/kernel/database/tables.ts', 'utf8')) ?? []
  const tables = [...body.matchAll(/^ {2}(\w+):/gm)].map(([, table]) => table as string)
  expect(Object.keys(owners).sort()).toEqual(tables.sort())
  for (const owner of new Set(Object.values(owners)))
    expect([`src/areas/${owner}`, `src/${owner}`, `src/${owner}.ts`].some(existsSync), owner).toBe(true)
  const unwritten = Object.entries(owners).filter(
    ([table, owner]) => !writes.some((write) => write.table === table && ownerAt(write.file) === owner),
  )
  expect(unwritten).toEqual([])
})

test('only the owner of a table writes it', () => {
  expect(foreignWrites(writes)).toEqual([])
})

test('files that choose a table at run time are listed', () => {
  const choosing = writes.filter(({ table }) => table === undefined).map(({ file }) => file)
  expect([...new Set(choosing)].sort()).toEqual(Object.keys(chosen))
})

describe('the check', () => {
  const tablesIn = (text: string) =>
    writesIn({ name: 'src/areas/publishing/post/stray.ts', text }).map((one) => one.table)
  const plants: [text: string, table: string | undefined][] = [
    ["await db.insertInto('workflowItems').values(rows).execute()", 'workflowItems'],
    ["db\n    .updateTable('workflowItems as i')\n    .set({ scopeId })", 'workflowItems'],
    ["await db.deleteFrom(\n  'workflowNotes',\n)", 'workflowNotes'],
    ["return insertWithin(context, quota, existing, { into: 'workflowSteps', row })", 'workflowSteps'],
    ["db.with('gone', (of) => of.deleteFrom('workflowSteps').returning('id'))", 'workflowSteps'],
    ["db.mergeInto('workflows').using(", 'workflows'],
    ['sql`insert into workflow_items (account_id, id) values (1, 2)`', 'workflowItems'],
    ['sql`INSERT INTO "workflow_items" select 1`', 'workflowItems'],
    ['sql`\n  with made as (\n    insert into\n      workflow_notes select 1)\n  select from made`', 'workflowNotes'],
    ['sql`with gone as (delete from only workflow_steps where true) select 1`', 'workflowSteps'],
    ["client.query('delete from public.workflow_approvers')", 'workflowApprovers'],
    ['sql`update workflow_items set status = 1`', 'workflowItems'],
    ['sql`\n    update workflow_items as i\n    set status = 1`', 'workflowItems'],
    [`sql\`update public."workflow_items" i set status = \${status}\``, 'workflowItems'],
    [
      'sql`merge into workflow_decisions d using more on true when matched then update set note = 1`',
      'workflowDecisions',
    ],
    ['sql`truncate table workflows`', 'workflows'],
  ]
  test.each(plants)('detects the write in %s', (text, table) => {
    expect(tablesIn(text)).toEqual([table])
    const write = { file: 'src/areas/publishing/post/stray.ts', table }
    expect(foreignWrites([write])).toEqual([`${write.file}: ${table}`])
    expect(foreignWrites([{ ...write, file: 'src/areas/approval/item/item.ts' }])).toEqual([])
  })

  test.each([
    'db.updateTable(table).set({ status })',
    `sql\`update \${sql.table(name)} t set worker = null\``,
    `sql\`insert into \${sql.table(name)} select 1\``,
  ])('detects the table chosen at run time in %s', (text) => expect(tablesIn(text)).toEqual([undefined]))

  test.each([
    "db.selectFrom('workflowItems').forUpdate('workflowItems')",
    'sql`select 1 from workflow_items for update of workflow_items skip locked`',
    'sql`on conflict (account_id) do update set workflow_id = excluded.workflow_id`',
    '  // Callers that update workflow_items set a status wait.',
    '/** Callers that delete from workflow_items wait. */',
  ])('finds no write in %s', (text) => expect(tablesIn(text)).toEqual([]))

  test('reports a write to an unknown table', () => {
    const write = { file: 'src/areas/approval/item/item.ts', table: 'workflowThings' }
    expect(foreignWrites([write])).toEqual([`${write.file}: workflowThings`])
  })
})
