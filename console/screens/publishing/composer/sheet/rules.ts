import { useEffect, useState } from 'react'

/** The service's own rules for all networks, which come beside the screen: one can write before they are there, and send without a connection. */
const loading = Promise.all([import('./verdict.ts'), import('../parts.ts')]).then(([verdict, parts]) => ({
  ...verdict,
  ...parts,
}))

export type Rules = Awaited<typeof loading>

export function useRules(): Rules | undefined {
  const [rules, setRules] = useState<Rules>()
  useEffect(() => void loadedRules().then((loaded) => setRules(loaded)), [])
  return rules
}

/** Nothing where they could not be loaded: the service judges all the same. */
export const loadedRules = (): Promise<Rules | undefined> => loading.catch(() => undefined)
