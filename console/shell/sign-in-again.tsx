import { useEffect, useState } from 'react'
import { call, onSignedOut } from '@/api/call.ts'
import { errorDetails } from '@/api/queries.ts'
import { useSession } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import * as buttonStyles from '@/ui/button.module.css'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { HiddenUsername, PasswordField } from '@/ui/field.tsx'

const pause = 1_000

/** Resolves when the user has stopped typing: a dialog takes the focus, and with it keystrokes meant for a text. */
function watchTyping() {
  let last = Number.NEGATIVE_INFINITY
  const note = () => {
    last = performance.now()
  }
  document.addEventListener('input', note, true)
  const untilIdle = async () => {
    for (let left = 0; ; await new Promise((go) => setTimeout(go, left))) {
      left = last + pause - performance.now()
      if (left <= 0) return
    }
  }
  return { whenStill: untilIdle, stop: () => document.removeEventListener('input', note, true) }
}

/** After the session has expired, the user signs in again and continues; rejected calls are retried. */
export function SignInAgain() {
  const { User, Account } = useSession()
  const [settle, setSettle] = useState<(isIn: boolean) => void>()
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => {
    const { whenStill: untilIdle, stop } = watchTyping()
    onSignedOut(async () => {
      await untilIdle()
      return new Promise<boolean>((resolve) => setSettle(() => resolve))
    })
    return () => {
      stop()
      onSignedOut(async () => false)
    }
  }, [])
  if (!settle) return null
  const end = (isIn: boolean) => {
    setSettle(undefined)
    setPassword('')
    setProblem(undefined)
    settle(isIn)
  }
  const signIn = async () => {
    setIsBusy(true)
    try {
      // As the same user in the same account, because the data on screen is theirs.
      await call('POST /session', { email: User.Email, password, account: Account.Id })
      end(true)
    } catch (error) {
      setProblem(errorDetails(error).message)
    }
    setIsBusy(false)
  }
  return (
    <Dialog title={texts.shell.signInAgain} onClose={() => end(false)} onSubmit={() => void signIn()}>
      <p>{texts.shell.sessionEnded}</p>
      <HiddenUsername email={User.Email} />
      <PasswordField
        label={texts.shell.password}
        name="password"
        autoComplete="current-password"
        hint={User.Email}
        value={password}
        onChange={setPassword}
        error={problem}
        autoFocus
      />
      <DialogActions>
        <a data-ui="button" className={buttonStyles.button} data-variant="ghost" href="/app/sign-in">
          {texts.shell.otherUser}
        </a>
        <Button variant="primary" type="submit" busy={isBusy}>
          {texts.shell.continue}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
