import type { NetworkInstallation, Usage } from '../connector/network-app.ts'
import { readJson } from '../wire/json.ts'
import type { NetworkAnswer } from '../wire/network-call.ts'
import { at, listAt, numberAt } from './answer.ts'
import type { Graph } from './graph.ts'

/** Tells how much of Meta's allowances is used up, as the headers of an answer say. */
export function reportUsage({ network, app, installation }: Graph, of: string, { headers }: NetworkAnswer) {
  const tell = (usage: Omit<Usage, 'network'>) => installation.report?.({ network, ...usage })
  const percent = (value: ReturnType<typeof readJson>) =>
    Math.max(...['call_count', 'total_time', 'total_cputime'].map((name) => numberAt(value, name) ?? 0)) / 100
  const forApp = readJson(headers['x-app-usage'] ?? '')
  if (forApp !== undefined) tell({ scope: 'app', of: app.clientId, used: percent(forApp) })
  const forPage = readJson(headers['x-page-usage'] ?? '')
  if (forPage !== undefined && of !== '') tell({ scope: 'actor', of, used: percent(forPage) })
  for (const [id, row] of businessRows(headers)) {
    const minutes = numberAt(row, regain) ?? 0
    const until = minutes > 0 ? inMinutes(installation, minutes) : undefined
    tell({ scope: 'actor', of: id, used: percent(row), until })
  }
}

/** When a refused caller may come back, where the network says so. */
export function regainedAt(installation: NetworkInstallation, { headers }: NetworkAnswer): Date | undefined {
  const minutes = Math.max(0, ...businessRows(headers).map(([, row]) => numberAt(row, regain) ?? 0))
  return minutes > 0 ? inMinutes(installation, minutes) : undefined
}

const regain = 'estimated_time_to_regain_access'

function businessRows(headers: NetworkAnswer['headers']) {
  const rows = readJson(headers['x-business-use-case-usage'] ?? '')
  if (rows === null || typeof rows !== 'object' || Array.isArray(rows)) return []
  return Object.keys(rows).flatMap((id) => listAt(rows, id).map((row) => [id, at(row)] as const))
}

const inMinutes = ({ clock }: NetworkInstallation, minutes: number) =>
  new Date(clock.now().getTime() + minutes * 60_000)
