import { type FormEvent, useState } from 'react'
import { Button } from '../../../ui/inputs/button.tsx'
import { Problem } from '../../../ui/layout/states.tsx'
import { call } from '../../../wire/call.ts'
import { told } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import { Doorway, EmailField } from './doorway.tsx'

/** A link by mail, for who has forgotten the password. */
export function ForgottenPassword() {
  const w = words.entering
  const [email, setEmail] = useState('')
  const [isMailed, setIsMailed] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const ask = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    setProblem(undefined)
    try {
      await call('POST /password-reset', { email })
      setIsMailed(true)
    } catch (error) {
      setProblem(told(error).sentence)
    }
    setIsBusy(false)
  }
  if (isMailed)
    return (
      <Doorway title={w.mailed} why={w.mailedWhy}>
        <a href="/app/sign-in">{w.back}</a>
      </Doorway>
    )
  return (
    <Doorway title={w.reset} why={w.resetWhy}>
      <form className="doorway-form" onSubmit={(event) => void ask(event)}>
        {problem && <Problem sentence={problem} />}
        <EmailField value={email} onChange={setEmail} />
        <Button kind="main" type="submit" busy={isBusy}>
          {w.sendLink}
        </Button>
        <a href="/app/sign-in">{w.back}</a>
      </form>
    </Doorway>
  )
}
