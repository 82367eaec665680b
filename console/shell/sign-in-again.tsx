import { useEffect, useState } from 'react'
import { call, whenSignedOut } from '@/api/call.ts'
import { told } from '@/api/queries.ts'
import { useWho } from '@/api/session.ts'
import { words } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { PasswordField, Username } from '@/ui/field.tsx'

const pause = 1_000

/** Tells when nobody has typed for a moment: a question takes the focus, and with it the letters that are on their way to a text. */
function watchTyping() {
  let last = Number.NEGATIVE_INFINITY
  const note = () => {
    last = performance.now()
  }
  document.addEventListener('input', note, true)
  const whenStill = async () => {
    for (let left = 0; ; await new Promise((go) => setTimeout(go, left))) {
      left = last + pause - performance.now()
      if (left <= 0) return
    }
  }
  return { whenStill, stop: () => document.removeEventListener('input', note, true) }
}

/** Where a session has ended, whoever was at work signs in again and goes on: calls that were refused meanwhile are made again. */
export function SignInAgain() {
  const { User, Account } = useWho()
  const [answer, setAnswer] = useState<(isIn: boolean) => void>()
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => {
    const { whenStill, stop } = watchTyping()
    whenSignedOut(async () => {
      await whenStill()
      return new Promise<boolean>((resolve) => setAnswer(() => resolve))
    })
    return () => {
      stop()
      whenSignedOut(async () => false)
    }
  }, [])
  if (!answer) return null
  const end = (isIn: boolean) => {
    setAnswer(undefined)
    setPassword('')
    setProblem(undefined)
    answer(isIn)
  }
  const signIn = async () => {
    setIsBusy(true)
    try {
      // As the same person in the same account: what is on the screen is theirs.
      await call('POST /session', { email: User.Email, password, account: Account.Id })
      end(true)
    } catch (error) {
      setProblem(told(error).sentence)
    }
    setIsBusy(false)
  }
  return (
    <Dialog title={words.shell.signInAgain} onClose={() => end(false)} onSubmit={() => void signIn()}>
      <p>{words.shell.sessionEnded}</p>
      <Username email={User.Email} />
      <PasswordField
        label={words.shell.password}
        name="password"
        autoComplete="current-password"
        hint={User.Email}
        value={password}
        onChange={setPassword}
        problem={problem}
        autoFocus
      />
      <DialogActions>
        <a className="button" data-kind="bare" href="/app/sign-in">
          {words.shell.asSomebodyElse}
        </a>
        <Button kind="main" type="submit" busy={isBusy}>
          {words.shell.goOn}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
