import type { Json } from '../state/rows.ts'

export const kinds = ['leads', 'contacts', 'cases'] as const
export type Kind = (typeof kinds)[number]

/** A person or a case. */
export interface CrmRecord {
  kind: Kind
  id: string
  /** What whoever made a case calls it; one case each. */
  key?: string
  fields: { [name: string]: Json }
  createdAt: string
  changedAt: string
  /** How often it was written: once when it was made. */
  saves: number
}

const mostFields = 100

/** What a request says of a record: plain values under names, without what the CRM itself knows. */
export function fieldsOf(given: unknown): CrmRecord['fields'] | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  const entries = Object.entries(given).filter(([name]) => !own.has(name))
  return entries.length > mostFields ? undefined : (Object.fromEntries(entries) as CrmRecord['fields'])
}

const own = new Set(['id', 'key', 'url', 'createdAt', 'changedAt'])

/** As the CRM shows it. */
export const shown = ({ kind, id, key, fields, createdAt, changedAt }: CrmRecord, origin: string) => ({
  ...fields,
  id,
  createdAt,
  changedAt,
  url: `${origin}/crm/${kind}/${id}`,
  ...(key !== undefined && { key }),
})
