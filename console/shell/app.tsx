import { lazy, Suspense, useEffect } from 'react'
import { errorDetails, useApiQuery } from '@/api/queries.ts'
import { hasSession, SessionProvider } from '@/api/session.ts'
import { setLocale } from '@/i18n/format.ts'
import { navigate, useLocation } from '@/routes/router.ts'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { ErrorBoundary, Shell } from './shell.tsx'

const Entering = lazy(async () => ({ default: (await import('@/features/auth/auth.tsx')).Auth }))

/** Paths that need no session. */
const publicPaths = new Set(['/app/sign-in', '/app/reset', '/app/invitation'])

/** Renders the console for a signed-in user, otherwise the authentication screens. */
export function App() {
  const { path } = useLocation()
  return (
    <ErrorBoundary resetKey={path}>
      <Suspense fallback={null}>{publicPaths.has(path) ? <Entering /> : <SignedIn />}</Suspense>
    </ErrorBoundary>
  )
}

/** Redirects users without a session to the sign-in screen, and back afterwards. */
function SignedIn() {
  const isKnown = hasSession()
  const { data: session, error, refetch } = useApiQuery('GET /session', {}, { enabled: isKnown })
  const isSignedOut = !session && (!isKnown || error?.kind === 'unauthenticated')
  useEffect(() => {
    if (isSignedOut)
      navigate(`/app/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`, { replace: true })
  }, [isSignedOut])
  if (session) {
    setLocale({ zone: session.User.Timezone })
    return (
      <SessionProvider value={session}>
        <Shell />
      </SessionProvider>
    )
  }
  return error && !isSignedOut ? <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} /> : <Loading />
}
