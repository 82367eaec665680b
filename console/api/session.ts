import { createContext, useContext } from 'react'
import type { Ability } from '#kernel/permissions.ts'
import { type Body, call } from './call.ts'
import { stopFetching, useApiQuery } from './queries.ts'

/** Who is signed in, with what they may do. */
export type Session = Body<'GET /session'>

const SessionContext = createContext<Session | undefined>(undefined)

export const SessionProvider = SessionContext.Provider

/** Whoever uses the console; within it there is always somebody. */
export function useSession(): Session {
  const who = useContext(SessionContext)
  if (!who) throw new Error('Nobody is signed in here.')
  return who
}

/** Tells what whoever uses the console may do. What they may not is not offered. */
export function useMay(): (ability: Ability) => boolean {
  const { Abilities } = useSession()
  return (ability) => Abilities.includes(ability)
}

/** Tells whether whoever uses the console may change a post: without permission to publish, not what others have scheduled. */
export function useMayChange(): (post: { CreatedBy: string; Status: string }) => boolean {
  const { User } = useSession()
  const may = useMay()
  return ({ CreatedBy, Status }) =>
    may('approve') || (may('contribute') && (CreatedBy === User.Id || Status.endsWith('draft')))
}

/** Names of those who may do everything, for who is told that somebody else has to do it. */
export function useAdmins(): readonly string[] {
  const mayRead = useMay()('read')
  const { data } = useApiQuery('GET /user', { role: 'admin', _count: 25 }, { enabled: mayRead })
  return data?.Items.map(({ Name }) => Name) ?? []
}

/** Whether the browser brought a session with the page: without one nobody need be asked. */
export const hasSession = () => document.documentElement.dataset.session !== undefined

/** Whether the page offers to enter the demo without a password. */
export const offersDemo = () => document.documentElement.dataset.demo !== undefined

/** Signs out. Whatever happens the browser leaves: what was read is forgotten with the page, and nothing is read without a session. */
export async function signOut(): Promise<void> {
  stopFetching()
  await call('DELETE /session').catch(() => {})
  location.assign('/app/sign-in')
}
