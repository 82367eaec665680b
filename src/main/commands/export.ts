import { readFile } from 'node:fs/promises'
import { destinationText } from '#areas/analytics/export/destination/destination.ts'
import { create, remove, searchOwn, update } from '#areas/analytics/export/export.ts'
import { exportDraft } from '#areas/analytics/export/export-shape.ts'
import { runNow, search as searchRuns } from '#areas/analytics/export/run/run.ts'
import { exportPerson } from '#areas/leads/lead/data-subject.ts'
import type { Context } from '#kernel/context.ts'
import { registry } from '../registry.ts'
import { accountOption, allRows, type Command, withDatabase } from './command.ts'

const id = { help: 'Export id (032…)', required: true } as const
const all = { offset: 0, limit: allRows, order: { column: 'status', kind: 'text', ascending: true } } as const
const newest = { offset: 0, limit: 25, order: { column: 'created', kind: 'date', ascending: false } } as const

/** A command on one export. */
const commandOn = (
  name: string,
  summary: string,
  confirmation: string,
  run: (context: Context, id: string) => Promise<unknown>,
): Command => ({
  name,
  summary,
  options: { account: accountOption, id },
  run: (settings, { account: accountId = '', id = '' }, print) =>
    withDatabase(settings, print, async ({ act }) => {
      await act(accountId, { command: name, id }, (context) => run(context, id))
      print(confirmation)
    }),
})

export const exportCommands: readonly Command[] = [
  {
    name: 'export list',
    summary: 'List the exports of an account',
    options: { account: accountOption },
    run: (settings, { account: accountId = '' }, print) =>
      withDatabase(settings, print, async ({ see }) => {
        const { items } = await see(accountId, (context) => searchOwn(context, { page: all }))
        if (items.length === 0) print('There are no exports.')
        for (const one of items)
          print(
            `${one.id}  ${one.status}  ${one.type}  ${destinationText(one)}  ${one.frequencyText}  ${one.timeRangeText}`,
          )
      }),
  },
  {
    name: 'export create',
    summary: 'Make an export; the fields are those of POST /app/api/exports (docs/exports.md)',
    options: {
      account: accountOption,
      file: { help: 'A file with the fields as JSON: nobody sees its secrets in a list of programs', required: true },
    },
    run: (settings, { account: accountId = '', file = '' }, print) =>
      withDatabase(settings, print, async ({ act }) => {
        const draft = readDraft(await readFile(file, 'utf8'))
        const made = await act(accountId, { command: 'export create' }, async (context) => {
          const one = await create(context, draft)
          context.about({ id: one.id })
          return one
        })
        print(`${made.id}  ${made.type}  ${destinationText(made)}  ${made.frequencyText}`)
      }),
  },
  commandOn(
    'export run',
    'Run an export now',
    'It runs as soon as a worker is free; export runs shows what becomes of it.',
    (context, id) => runNow(context, { id }),
  ),
  commandOn('export pause', 'Let an export run no more until it is resumed', 'It is paused.', (context, id) =>
    update(context, { id, status: 'inactive' }),
  ),
  commandOn('export resume', 'Let a paused export run again', 'It runs again at its next time.', (context, id) =>
    update(context, { id, status: 'active' }),
  ),
  commandOn('export delete', 'Delete an export with its files', 'It is deleted.', (context, id) =>
    remove(context, { id }),
  ),
  {
    name: 'export runs',
    summary: 'List the last runs of an export',
    options: { account: accountOption, id },
    run: (settings, { account: accountId = '', id = '' }, print) =>
      withDatabase(settings, print, async ({ see }) => {
        const { items } = await see(accountId, (context) => searchRuns(context, { id, page: newest }))
        if (items.length === 0) print('It has not run yet.')
        for (const { id: run, created, status, rows, bytes, error } of items)
          print(`${run}  ${created.toISOString()}  ${status}  ${rows} rows  ${bytes} bytes  ${error}`.trimEnd())
      }),
  },
]

/** Validates it with the rules of the API. */
function readDraft(text: string) {
  const { success, data, error } = exportDraft.safeParse(JSON.parse(text))
  if (success) return data
  const { path = [], message = '' } = error.issues[0] ?? {}
  throw new Error(`${path.join('.')} ${message}.`)
}

/** Commands for data access requests of leads. */
export const leadCommands: readonly Command[] = [
  {
    name: 'lead export',
    summary: 'Write all that is known of a person, as JSON',
    options: {
      account: accountOption,
      lead: { help: 'Lead id (0ld…)', required: true },
    },
    run: (settings, { account: accountId = '', lead = '' }, print) =>
      withDatabase(settings, print, async ({ see }) => {
        const data = await see(accountId, (context) => exportPerson(context, lead, registry.personalData))
        print(JSON.stringify(data, null, 2))
      }),
  },
]
