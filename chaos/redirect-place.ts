import { ownerQuery } from '#kernel/database/owner.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import { openServer } from './server.ts'

const account = '001chaos0000001'
const links = 50

/** A database with an account and some links, and what a process needs to serve them. */
export interface RedirectPlace {
  databaseUrl: string
  hashes: string[]
  environment: Record<string, string>
  remove(): Promise<void>
}

/** On a database of its own, unless one is given that is migrated and empty. */
export async function openRedirectPlace(given?: string): Promise<RedirectPlace> {
  const folder = await temporaryFolder()
  const server = given ? undefined : await openServer()
  const database = (await server?.database()) ?? { url: given ?? '', drop: async () => {} }
  const ask = (text: string) => ownerQuery(database.url, text)
  await ask(`insert into accounts (id, created, modified, name) values ('${account}', now(), now(), 'Chaos')`)
  await ask(
    `insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
     values ('${account}', '002chaos0000001', now(), now(), '', '', 'Chaos', 'active', '#2456D6')`,
  )
  await ask(
    `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, credential_id, network, original_url, long_url)
     select '${account}', '008c' || lpad(n::text, 11, '0'), now(), now(), 'C' || lpad(n::text, 7, '0'), '002chaos0000001', '', '', 'X',
            'https://example.com/' || n, 'https://example.com/' || n from generate_series(1, ${links}) n`,
  )
  await ask('insert into link_hashes (hash, account, link, long_url) select hash, account_id, id, long_url from links')
  return {
    databaseUrl: database.url,
    hashes: Array.from({ length: links }, (_, number) => `C${String(number + 1).padStart(7, '0')}`),
    environment: {
      CHORUS_PORT: '0',
      CHORUS_DATA_DIR: folder.path,
      CHORUS_DATABASE_URL: database.url,
      CHORUS_RATE_LIMIT: 'off',
      CHORUS_LOG_LEVEL: 'warn',
    },
    async remove() {
      await database.drop()
      await server?.stop()
      await folder.remove()
    },
  }
}
