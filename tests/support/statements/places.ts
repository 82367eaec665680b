import { readFileSync } from 'node:fs'

/** Where the rows of a table lie on a cluster: with their account, on every node, or with the look-ups of the coordinator. */
export type Place = { readonly key: string } | 'everywhere' | 'elsewhere'

/** As the schema says it: by `account_id`, or by `account` where the primary key begins with it; accounts by their id. */
export function readPlaces(schema: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  for (const block of schema.split('\n\n')) {
    const [heading = '', ...lines] = block.split('\n')
    if (!heading.startsWith('table ')) continue
    const name = heading.slice('table '.length)
    const has = (beginning: string) => lines.some((line) => line.startsWith(`  ${beginning}`))
    if (name === 'accounts') places.set(name, { key: 'id' })
    else if (has('account_id ')) places.set(name, { key: 'account_id' })
    else if (has('PRIMARY KEY (account,')) places.set(name, { key: 'account' })
    else places.set(name, copied.has(name) ? 'everywhere' : 'elsewhere')
  }
  return places
}

/** Small, hardly ever written, and joined with tables of accounts. */
const copied = new Set(['short_hosts'])

export const places = readPlaces(readFileSync('schema.sql', 'utf8'))
