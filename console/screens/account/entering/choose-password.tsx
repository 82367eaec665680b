import { type FormEvent, useState } from 'react'
import { Button } from '../../../ui/inputs/button.tsx'
import { Field, PasswordField, Username } from '../../../ui/inputs/field.tsx'
import { Problem } from '../../../ui/layout/states.tsx'
import { call } from '../../../wire/call.ts'
import { told } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import { Doorway, enter } from './doorway.tsx'

/** With the link that was mailed: a new password, and for somebody new their name too. Then they are in. */
export function ChoosePassword({ purpose, token }: { purpose: 'reset' | 'invitation'; token: string }) {
  const w = words.entering
  const isNew = purpose === 'invitation'
  const [firstName, setFirstName] = useState('')
  const [lastName, setLastName] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const choose = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    setProblem(undefined)
    try {
      if (isNew) await call('POST /invitation/choice', { token, password, firstName, lastName })
      else await call('POST /password-reset/choice', { token, password })
      return enter()
    } catch (error) {
      setProblem(told(error).sentence)
    }
    setIsBusy(false)
  }
  return (
    <Doorway title={isNew ? w.welcome : w.reset} {...(isNew && { why: w.welcomeWhy })}>
      <form className="doorway-form" onSubmit={(event) => void choose(event)}>
        {problem && <Problem sentence={problem} />}
        {isNew && (
          <div className="doorway-names">
            <Field
              label={w.firstName}
              name="firstName"
              autoComplete="given-name"
              maxLength={64}
              value={firstName}
              onChange={setFirstName}
              autoFocus
            />
            <Field
              label={w.lastName}
              name="lastName"
              autoComplete="family-name"
              maxLength={64}
              value={lastName}
              onChange={setLastName}
            />
          </div>
        )}
        <Username />
        <PasswordField
          label={w.newPassword}
          hint={w.passwordHint}
          name="password"
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={256}
          value={password}
          onChange={setPassword}
        />
        <Button kind="main" type="submit" busy={isBusy}>
          {isNew ? w.begin : w.saveAndSignIn}
        </Button>
        <a href="/app/sign-in">{w.back}</a>
      </form>
    </Doorway>
  )
}
