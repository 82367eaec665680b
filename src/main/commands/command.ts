import { randomBytes } from 'node:crypto'
import { recordAuditEntry } from '#areas/account/audit.ts'
import { type ChangeInstallation, change, systemActor } from '#kernel/change.ts'
import { systemClock } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { type Database, openDatabase } from '#kernel/database/database.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import type { ProgressListener } from '#kernel/database/transfer/content.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import { networkApps, optionsOf } from '../process/network-apps.ts'
import { ownAddress, shortAddress } from '../process/outbound-client.ts'
import { joinStorage, openKeyring } from '../process/storage.ts'
import { migrationFolders } from '../project.ts'
import { react } from '../registry.ts'
import type { Settings } from '../settings/settings.ts'

/** Page size for listing everything: above any quota. */
export const allRows = 1_000_000

/** The option that names an account. */
export const accountOption = { help: 'Account id (001…)', required: true } as const

export type Print = (line: string) => void

/** One command; options are given as --name value, flags as --name. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** The positional argument, by the name under which it is passed on. */
  readonly argument?: { readonly name: string; readonly help: string; readonly isOptional?: true }
  readonly options?: {
    readonly [name: string]: { readonly help: string; readonly required?: true; readonly flag?: true }
  }
  readonly run: (settings: Settings, options: { [name: string]: string }, print: Print) => Promise<void>
}

const width = 24

/** Progress of a long command: a bar on a terminal, a line per table elsewhere. */
export function progressLine(): { show: ProgressListener; end: () => void } {
  const { stderr } = process
  let last = ''
  return {
    show({ step, table, tableIndex, tables, rows, totalRowsEstimate }) {
      const share = totalRowsEstimate > 0 ? Math.min(1, rows / totalRowsEstimate) : 1
      const bar = '#'.repeat(Math.round(share * width)).padEnd(width, '.')
      const line = `${step} [${bar}] ${Math.round(share * 100)} %  ${rows} rows, table ${tableIndex} of ${tables}: ${table}`
      if (stderr.isTTY) stderr.write(`\r${line.slice(0, (stderr.columns || 80) - 1).padEnd(last.length)}`)
      else if (`${step} ${table}` !== last) stderr.write(`${line}\n`)
      last = stderr.isTTY ? line : `${step} ${table}`
    },
    end() {
      if (stderr.isTTY && last) stderr.write('\n')
    },
  }
}

const printEvery = 5_000

/** Progress of a long command: updated in place on a terminal, printed occasionally elsewhere. */
export function progressCounter(): { show: (line: string) => void; end: () => void } {
  const { stderr } = process
  let shown = performance.now()
  let last = ''
  return {
    show(line) {
      if (!stderr.isTTY) {
        if (performance.now() - shown < printEvery) return
        stderr.write(`${line}\n`)
      } else stderr.write(`\r${line.slice(0, (stderr.columns || 80) - 1).padEnd(last.length)}`)
      shown = performance.now()
      last = line
    },
    end() {
      if (stderr.isTTY && last) stderr.write('\n')
    },
  }
}

interface Access {
  url: string
  database: Database
  keyring: Keyring
  /** Required by commands that write. */
  installation: ChangeInstallation
  now: Date
  /** Reads in one account. */
  see: <Result>(accountId: string, work: (context: Context) => Promise<Result>) => Promise<Result>
  /** Writes in one account, in one transaction; the account's audit log records the operator and the command. */
  act: <Result>(
    accountId: string,
    change: OperatorChange,
    work: (context: Context) => Promise<Result>,
  ) => Promise<Result>
}

interface OperatorChange {
  command: string
  /** The changed entity, if known beforehand. */
  id?: string
}

const operator = { by: 'operator', id: '' } as const

/** Opens the database for one command, with or without a running service, and closes it afterwards. */
export async function withDatabase(settings: Settings, print: Print, work: (access: Access) => Promise<void>) {
  const storage = await joinStorage(settings, print)
  try {
    await migrate(storage.url, migrationFolders, print)
    const database = openDatabase({ url: storage.url, connections: 2 })
    const keyring = await openKeyring(settings)
    const addresses = { publicUrl: () => ownAddress(settings), shortUrl: () => shortAddress(settings) }
    const { publishMaxDelay: lateness, accountLimits } = settings
    const installation = {
      database,
      listener: undefined,
      keyring,
      ...addresses,
      lateness,
      accountLimits,
      appOptions: optionsOf(networkApps(settings)),
      react,
      recordAuditEntry,
    }
    const now = systemClock.now()
    try {
      await work({
        url: storage.url,
        database,
        keyring,
        installation,
        now,
        see: (accountId, work) => change(installation, systemActor(accountId, now), work),
        act(accountId, { command, id }, work) {
          const actor = {
            ...systemActor(accountId, now),
            via: operator,
            auditEntry: { operation: command, fields: [] },
          }
          return change(installation, actor, (context) => {
            if (id !== undefined) context.about({ id })
            return work(context)
          })
        },
      })
    } finally {
      await database.close()
    }
  } finally {
    await storage.close()
  }
}

/** A generated password: 96 random bits. */
export const newPassword = () => randomBytes(12).toString('base64url')
