import { lazy, Suspense, useEffect } from 'react'
import { Problem, Waiting } from '../ui/layout/states.tsx'
import { told, useCall } from '../wire/queries.ts'
import { hasSession, SessionProvider } from '../wire/session.ts'
import { writeFor } from '../words/format.ts'
import { Boundary } from './boundary.tsx'
import { go, useAddress } from './router.ts'
import { Shell } from './shell.tsx'

const Entering = lazy(async () => ({ default: (await import('../screens/account/entering/entering.tsx')).Entering }))

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
