import { createContext, useContext } from 'react'
import type { Ability } from '#kernel/permissions.ts'
import { type Body, call } from './call.ts'
import { stopFetching, useApiQuery } from './queries.ts'

/** The signed-in user and their permissions. */
export type Session = Body<'GET /session'>

const SessionContext = createContext<Session | undefined>(undefined)

export const SessionProvider = SessionContext.Provider

/** The signed-in user. Never undefined inside the console. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('Nobody is signed in here.')
  return session
}

/** Checks the user's permissions. Actions they lack permission for are not offered. */
export function useMay(): (ability: Ability) => boolean {
  const { Abilities } = useSession()
  return (ability) => Abilities.includes(ability)
}

/** Whether the user may change a post: without permission to publish, not the scheduled posts of others. */
export function useMayChange(): (post: { CreatedBy: string; Status: string }) => boolean {
  const { User } = useSession()
  const may = useMay()
  return ({ CreatedBy, Status }) =>
    may('approve') || (may('contribute') && (CreatedBy === User.Id || Status.endsWith('draft')))
}

/** Names of the admins, for messages that refer the user to them. */
export function useAdmins(): readonly string[] {
  const mayRead = useMay()('read')
  const { data } = useApiQuery('GET /user', { role: 'admin', _count: 25 }, { enabled: mayRead })
  return data?.Items.map(({ Name }) => Name) ?? []
}

/** Whether the page was served to a session; without one no request is needed. */
export const hasSession = () => document.documentElement.dataset.session !== undefined

/** Whether the page offers demo access without a password. */
export const offersDemo = () => document.documentElement.dataset.demo !== undefined

/** Signs out. The page is always left, even on errors, so that cached data is dropped and nothing is fetched without a session. */
export async function signOut(): Promise<void> {
  stopFetching()
  await call('DELETE /session').catch(() => {})
  location.assign('/app/sign-in')
}
