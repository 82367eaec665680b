import pg from 'pg'
import { applicationRole } from './connection-pool.ts'
import { cut, followStatement, isRefused, run, type Statement } from './statement/statement.ts'

/** A dedicated connection for statements that must run exactly once: each write is reported as done, not done, or unknown. */
export interface Writer {
  /** All or none. Rejects with `Unsettled` if the outcome is unknown; any other error means that nothing was written. */
  write(statements: readonly Statement[]): Promise<void>
  close(): Promise<void>
}

/** The connection broke before the response arrived. Once its backend has ended, the visible state is final. */
export class Unsettled extends Error {
  readonly backend: number

  constructor(backend: number, cause: unknown) {
    super('The connection to the database broke before it told whether the statements were done.', { cause })
    this.backend = backend
  }
}

const connectionPatience = 2_000
const statementTimeout = 5_000
/** Longer than the server's own timeout: after this, the network is at fault. */
const answerPatience = 8_000

export function openWriter(url: string): Writer {
  let open: pg.Client | undefined

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectionPatience,
      keepAlive: true,
      application_name: 'chorus-writer',
      options: `-c role=${applicationRole} -c timezone=UTC -c statement_timeout=${statementTimeout}`,
    })
    const drop = () => {
      if (open === client) open = undefined
    }
    client.on('error', drop)
    client.on('end', drop)
    await client.connect()
    open = client
    return client
  }

  return {
    async write(statements) {
      for (const { text, values } of statements) followStatement(text, values)
      const client = open ?? (await connect())
      const enough = setTimeout(() => cut(client), answerPatience)
      try {
        await run(client, statements)
      } catch (error) {
        if (isRefused(error)) throw error
        if (open === client) open = undefined
        cut(client)
        throw new Unsettled(backendOf(client), error)
      } finally {
        clearTimeout(enough)
      }
    },
    async close() {
      await open?.end().catch(() => {})
    },
  }
}

// A property of the driver that its types omit.
const backendOf = (client: pg.Client) => (client as unknown as { processID: number }).processID
