import { lazy, Suspense, useEffect } from 'react'
import { told, useCall } from '@/api/queries.ts'
import { hasSession, SessionProvider } from '@/api/session.ts'
import { writeFor } from '@/i18n/format.ts'
import { go, useAddress } from '@/routes/router.ts'
import { Problem, Waiting } from '@/ui/states.tsx'
import { Boundary, Shell } from './shell.tsx'

const Entering = lazy(async () => ({ default: (await import('@/features/auth/auth.tsx')).Entering }))

/** Where nobody has to be signed in. */
const entrances = new Set(['/app/sign-in', '/app/reset', '/app/invitation'])

/** Everything: for whom it is, or the way in. */
export function Console() {
  const { path } = useAddress()
  return (
    <Boundary at={path}>
      <Suspense fallback={null}>{entrances.has(path) ? <Entering /> : <SignedIn />}</Suspense>
    </Boundary>
  )
}

/** Whoever has no session is led to the sign-in screen, and from there back to where they wanted to go. */
function SignedIn() {
  const isKnown = hasSession()
  const { data: who, error, refetch } = useCall('GET /session', {}, { enabled: isKnown })
  const isStranger = !who && (!isKnown || error?.kind === 'unauthenticated')
  useEffect(() => {
    if (isStranger)
      go(`/app/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`, { replace: true })
  }, [isStranger])
  if (who) {
    writeFor({ zone: who.User.Timezone })
    return (
      <SessionProvider value={who}>
        <Shell />
      </SessionProvider>
    )
  }
  return error && !isStranger ? <Problem {...told(error)} onAgain={() => void refetch()} /> : <Waiting />
}
