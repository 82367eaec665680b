import { CrmFault } from './crm.ts'
import type { CrmCall, CrmHttp } from './crm-http.ts'

/** What systems gave us to be let in with, as long as it is worth keeping. */
const tokens = new Map<string, { token: string; until: number }>()
const mostTokens = 1_000
const keptFor = 10 * 60 * 1000

/** Lets calls be made with a token that is got once and kept for a while; one that is refused is got anew, once. */
export function signedIn(http: CrmHttp, key: string, getToken: () => Promise<string>): CrmHttp {
  const tokenOf = async () => {
    const kept = tokens.get(key)
    if (kept && kept.until > performance.now()) return kept.token
    const token = await getToken()
    if (tokens.size >= mostTokens) tokens.clear()
    tokens.set(key, { token, until: performance.now() + keptFor })
    return token
  }
  const ask = async (call: CrmCall) =>
    http({ ...call, headers: { ...call.headers, authorization: `Bearer ${await tokenOf()}` } })
  return async (call) => {
    const wasKept = tokens.has(key)
    try {
      return await ask(call)
    } catch (error) {
      if (!(error instanceof CrmFault) || error.kind !== 'signIn') throw error
      tokens.delete(key)
      if (!wasKept) throw error
      return ask(call)
    }
  }
}
