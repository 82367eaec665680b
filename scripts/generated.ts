import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { appEndpoints, descriptionsOf, downloads, endpoints, intakes, streams } from '#main/registry.ts'
import { limitsTable } from './limits-page.ts'
import { matrixPage } from './matrix-page.ts'
import { networkTables } from './networks-page.ts'
import { permissionsPage } from './permissions.ts'
import { describeSchema } from './schema.ts'
import { settingsTable } from './settings-table.ts'
import { describeTables } from './tables.ts'

/** All generated files with their expected content; the schema is read from a newly migrated database. */
export async function generatedFiles(migratedUrl: string): Promise<[file: string, content: string][]> {
  const readme = await readFile('README.md', 'utf8')
  const networks = await readFile('docs/networks.md', 'utf8')
  const limits = await readFile('docs/limits.md', 'utf8')
  const tables = networkTables()
  return [
    ...(await fromDatabase(migratedUrl)),
    ...descriptionsOf(endpoints).map(({ file, content }): [file: string, content: string] => [
      file.slice(1),
      `${JSON.stringify(content(), null, 2)}\n`,
    ]),
    ['docs/permissions.md', permissionsPage(endpoints, appEndpoints, { intakes, downloads, streams })],
    ['docs/networks.md', replaceSection(networks, 'networks', `\n${tables}`)],
    ['docs/networks/matrix.md', matrixPage()],
    ['docs/limits.md', replaceSection(limits, 'limits', `\n${limitsTable()}\n`)],
    ['README.md', replaceSection(readme, 'settings', settingsTable())],
  ]
}

/** Replaces the text between the two markers of a section. */
function replaceSection(page: string, name: string, content: string): string {
  const [before, after] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  return page.slice(0, page.indexOf(before) + before.length) + content + page.slice(page.indexOf(after))
}

async function fromDatabase(url: string): Promise<[file: string, content: string][]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return [
      ['src/kernel/database/tables.ts', await describeTables(client)],
      ['schema.sql', await describeSchema(client)],
    ]
  } finally {
    await client.end()
  }
}
