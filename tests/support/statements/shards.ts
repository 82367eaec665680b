import { appendFileSync } from 'node:fs'
import pg from 'pg'
import utils from 'pg/lib/utils.js'
import { inject } from 'vitest'
import { databaseAt, isCluster } from '../database/nodes.ts'
import { shardsDatabase } from '../database/templates.ts'
import type { Entry } from './statement-log.ts'

/**
 * On a cluster, with TEST_SHARDS naming a file: the cluster explains each distinct statement of a thread once, and the result is written
 * there line by line. `tasks` is the number of shards; zero for tables of the coordinator.
 */
const file = isCluster ? process.env.TEST_SHARDS : undefined
const parameters = new Map<string, readonly unknown[]>()
const explained = new Set<string>()

/** Keeps the parameters of a statement's first execution. */
export function keepParameters(text: string, given: readonly unknown[]) {
  if (file && !parameters.has(text)) parameters.set(text, given)
}

export async function explainShards(sent: readonly Entry[]) {
  const unknown = sent.filter(({ text, source }) => source !== undefined && !explained.has(text))
  if (!file || unknown.length === 0) return
  const client = new pg.Client({ connectionString: databaseAt(inject('serverUrl'), shardsDatabase) })
  await client.connect()
  for (const { text, source } of unknown) {
    explained.add(text)
    appendFileSync(file, `${JSON.stringify({ source, ...(await explain(client, text)), text })}\n`)
  }
  await client.end()
}

interface Plan {
  'Distributed Query'?: { Job: { 'Task Count': number }; Subplans?: { PlannedStmt: { Plan: Plan }[] }[] }
  Plans?: Plan[]
}

async function explain(client: pg.Client, text: string): Promise<{ tasks: number } | { refused: string }> {
  try {
    const { rows } = await client.query(`explain (format json) ${written(text)}`)
    return { tasks: tasksOf(rows[0]['QUERY PLAN'][0].Plan) }
  } catch (error) {
    return { refused: (error as Error).message }
  }
}

/** With literals: some statements that run with parameters can't be explained with them. */
function written(text: string): string {
  const values = parameters.get(text) ?? []
  return text.replace(/\$(\d+)/g, (_, number) => {
    const value = utils.prepareValue(values[Number(number) - 1])
    if (value === null) return 'null'
    return typeof value !== 'string' ? `'\\x${value.toString('hex')}'` : pg.escapeLiteral(value)
  })
}

/** The maximum over all parts of the plan. */
function tasksOf({ 'Distributed Query': query, Plans = [] }: Plan): number {
  const inner = [...Plans, ...(query?.Subplans ?? []).flatMap(({ PlannedStmt }) => PlannedStmt.map(({ Plan }) => Plan))]
  return Math.max(query?.Job['Task Count'] ?? 0, ...inner.map(tasksOf))
}
