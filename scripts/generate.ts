import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { migrate } from '#kernel/database/migrate.ts'
import { describeConsole, describeInterface } from '#kernel/http/openapi.ts'
import { appEndpoints, endpoints, intakes, streams } from '#main/endpoints.ts'
import { migrationsFolder, version } from '#main/project.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import { limitsTable } from './limits-page.ts'
import { networkTables } from './networks-page.ts'
import { permissionsPage } from './permissions.ts'
import { describeSchema } from './schema.ts'
import { settingsTable } from './settings-table.ts'
import { describeTables } from './tables.ts'

/** `npm run generate` writes what follows from the sources; with --check it says what is out of date instead. */
async function main(check: boolean) {
  const stale: string[] = []
  for (const [file, content] of await generated()) {
    if ((await readFile(file, 'utf8').catch(() => '')) === content) continue
    stale.push(file)
    if (!check) await writeFile(file, content)
  }
  if (check && stale.length > 0) {
    console.error(`Out of date: ${stale.join(', ')}. Run: npm run generate`)
    process.exit(1)
  }
  console.log(stale.length > 0 ? `Written: ${stale.join(', ')}` : 'Generated files are up to date.')
}

async function generated(): Promise<[file: string, content: string][]> {
  const readme = await readFile('README.md', 'utf8')
  const networks = await readFile('docs/networks.md', 'utf8')
  const limits = await readFile('docs/limits.md', 'utf8')
  const tables = networkTables()
  return [
    ...(await fromDatabase()),
    ['openapi.json', `${JSON.stringify(describeInterface(endpoints, version), null, 2)}\n`],
    ['app-openapi.json', `${JSON.stringify(describeConsole(appEndpoints, { intakes, streams }, version), null, 2)}\n`],
    ['docs/permissions.md', permissionsPage(endpoints, appEndpoints, intakes, streams)],
    ['docs/networks.md', withPart(networks, 'networks', `\n${tables}`)],
    ['docs/limits.md', withPart(limits, 'limits', `\n${limitsTable()}\n`)],
    ['README.md', withPart(readme, 'settings', settingsTable())],
  ]
}

/** The page with other words between the two marks of a name. */
function withPart(page: string, name: string, words: string): string {
  const [before, after] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  return page.slice(0, page.indexOf(before) + before.length) + words + page.slice(page.indexOf(after))
}

/** The schema is read back from a database that has just been migrated from nothing. */
async function fromDatabase(): Promise<[file: string, content: string][]> {
  const folder = await temporaryFolder()
  const server = await startEmbeddedServer({ folder: join(folder.path, 'postgres'), settings: { fsync: 'off' } })
  try {
    await migrate(server.url, migrationsFolder)
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    try {
      return [
        ['src/kernel/database/tables.ts', await describeTables(client)],
        ['schema.sql', await describeSchema(client)],
      ]
    } finally {
      await client.end()
    }
  } finally {
    await server.stop()
    await folder.remove()
  }
}

await main(process.argv.includes('--check'))
