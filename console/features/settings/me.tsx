import { useState } from 'react'
import { call, type Sent } from '@/api/call.ts'
import { choose, useDensity, useTheme } from '@/api/preferences.ts'
import { readAgain, told, useCall, useChange } from '@/api/queries.ts'
import { useMay, useWho } from '@/api/session.ts'
import { ago } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { switchLetters, useLetters } from '@/shell/shortcuts.ts'
import { zones } from '@/time/days.ts'
import { Button } from '@/ui/button.tsx'
import { Combobox } from '@/ui/combobox.tsx'
import { Checkbox, Copy, PasswordField, Segments, Switch, Username } from '@/ui/field.tsx'
import { Fact } from '@/ui/layout.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { Group, Part, SavedField } from './section.tsx'
import { OwnKeys } from './shortcuts.tsx'

/** What is about whoever looks: who they are, how this browser shows things, which mails they get. */
export const Me = () => (
  <Part
    calls={[
      'POST /app/api/me',
      'GET /v2/notification',
      'POST /v2/notification',
      'POST /app/api/password',
      'POST /app/api/calendar-key',
    ]}
  >
    <Person />
    <ThisBrowser />
    <OwnKeys />
    <Mails />
    <Password />
    <CalendarAddress />
  </Part>
)

const changeMe = async (change: Sent<'POST /me'>) => {
  await call('POST /me', change)
  readAgain('GET /session', 'v2 GET /user/{id}', 'GET /user')
}

function Person() {
  const { User } = useWho()
  const { data, error, refetch } = useCall('v2 GET /user/{id}', { id: User.Id })
  const zone = (timezone: string) =>
    changeMe({ timezone }).then(
      () => say(words.settings.zoneChanged(timezone)),
      (failure) => say(told(failure).sentence, { kind: 'problem' }),
    )
  return (
    <Group title={words.settings.person}>
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data && (
        <div className="settings-fields">
          <SavedField
            label={words.settings.firstName}
            value={data.User.FirstName}
            maxLength={64}
            dir="auto"
            autoComplete="given-name"
            onSave={(firstName) => changeMe({ firstName })}
          />
          <SavedField
            label={words.settings.lastName}
            value={data.User.LastName}
            maxLength={64}
            dir="auto"
            autoComplete="family-name"
            onSave={(lastName) => changeMe({ lastName })}
          />
          <Combobox
            label={words.settings.zone}
            hint={words.settings.zoneWhy}
            options={zones()}
            value={User.Timezone}
            onChange={(timezone) => void zone(timezone)}
          />
          <dl className="settings-facts">
            <Fact name={words.settings.email}>{User.Email}</Fact>
            <Fact name={words.settings.role}>{words.shell.role[User.Role]}</Fact>
            <Fact name={words.settings.language}>{words.settings.languageIs}</Fact>
          </dl>
        </div>
      )}
    </Group>
  )
}

const optionsOf = <Value extends string>(names: { [value in Value]: string }) =>
  Object.entries(names).map(([value, label]) => ({ value: value as Value, label: label as string }))

function ThisBrowser() {
  return (
    <Group title={words.settings.browser} why={words.settings.browserWhy}>
      <div className="settings-fields">
        <div className="frame">
          <span className="frame-label">{words.shell.theme}</span>
          <Segments
            label={words.shell.theme}
            value={useTheme()}
            options={optionsOf(words.shell.themes)}
            onChange={(value) => choose('theme', value)}
          />
        </div>
        <div className="frame">
          <span className="frame-label">{words.shell.density}</span>
          <Segments
            label={words.shell.density}
            value={useDensity()}
            options={optionsOf(words.shell.densities)}
            onChange={(value) => choose('density', value)}
          />
        </div>
        <Switch
          label={words.shell.letters}
          hint={words.settings.lettersWhy}
          checked={useLetters()}
          onChange={switchLetters}
        />
      </div>
    </Group>
  )
}

/** Whoever may only read sees which they get. */
function Mails() {
  const mayChange = useMay()('contribute')
  const { data, error, refetch } = useCall('v2 GET /notification', {})
  const change = useChange('v2 POST /notification', {
    stale: ['v2 GET /notification'],
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  const names = Object.keys(words.settings.mails) as (keyof typeof words.settings.mails)[]
  const chosen = data && { ...data.Items, ...(change.isPending && change.variables) }
  return (
    <Group title={words.settings.mailsTitle} why={mayChange ? words.settings.mailsWhy : words.settings.mailsRead}>
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {!chosen && !error && <Waiting />}
      {chosen &&
        names.map((name) =>
          mayChange ? (
            <Switch
              key={name}
              label={words.settings.mails[name]}
              checked={Boolean(chosen[name])}
              onChange={(isOn) => change.mutate({ [name]: isOn })}
            />
          ) : (
            <p key={name}>
              {words.settings.mails[name]}: {chosen[name] ? words.shell.lettersOn : words.shell.lettersOff}
            </p>
          ),
        )}
    </Group>
  )
}

function Password() {
  const { User } = useWho()
  const [present, setPresent] = useState('')
  const [password, setPassword] = useState('')
  const [revokeKeys, setRevokeKeys] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const change = async () => {
    setIsBusy(true)
    try {
      await call('POST /password', { present, password, revokeKeys })
      setPresent('')
      setPassword('')
      setRevokeKeys(false)
      setProblem(undefined)
      readAgain('GET /sessions', 'GET /api-key', 'GET /calendar-key')
      say(revokeKeys ? words.settings.keysRevoked : words.settings.passwordChanged)
    } catch (error) {
      setProblem(error)
    }
    setIsBusy(false)
  }
  return (
    <Group title={words.settings.password} why={words.settings.passwordWhy}>
      <form
        className="settings-fields"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy) void change()
        }}
      >
        {problem !== undefined && <Problem {...told(problem)} />}
        <Username email={User.Email} />
        <PasswordField
          label={words.settings.presentPassword}
          name="present"
          autoComplete="current-password"
          required
          value={present}
          onChange={setPresent}
        />
        <PasswordField
          label={words.settings.newPassword}
          name="password"
          autoComplete="new-password"
          hint={words.settings.newPasswordWhy}
          required
          minLength={8}
          maxLength={256}
          value={password}
          onChange={setPassword}
        />
        <Checkbox
          label={words.settings.revokeKeys}
          hint={words.settings.revokeKeysHint}
          name="revokeKeys"
          checked={revokeKeys}
          onChange={setRevokeKeys}
        />
        <div>
          <Button type="submit" busy={isBusy}>
            {words.settings.changePassword}
          </Button>
        </div>
      </form>
    </Group>
  )
}

/** The address at which other calendars read one's own. It is shown when it is made, and kept nowhere here. */
export function CalendarAddress() {
  const { data, error, refetch } = useCall('GET /calendar-key', {})
  const [url, setUrl] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const change = async (work: () => Promise<string | undefined>) => {
    setIsBusy(true)
    try {
      setUrl(await work())
    } catch (failure) {
      say(told(failure).sentence, { kind: 'problem' })
    }
    setIsBusy(false)
    readAgain('GET /calendar-key')
  }
  const make = () => change(async () => (await call('POST /calendar-key', {})).Url)
  const remove = () =>
    change(async () => {
      await call('DELETE /calendar-key')
      say(words.settings.calendarRemoved)
      return undefined
    })
  return (
    <Group title={words.settings.calendar} why={words.settings.calendarWhy}>
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {url !== undefined && (
        <>
          <Copy label={words.settings.calendarAddress} text={url} />
          <p className="hint">{words.settings.shownOnce}</p>
        </>
      )}
      {data && (
        <>
          <p>
            {data.HasKey
              ? words.settings.calendarThere(
                  ago(data.Created, words.settings.never),
                  ago(data.LastUsed, words.settings.never),
                )
              : words.settings.calendarNone}
          </p>
          <div className="settings-acts">
            <Button busy={isBusy} onClick={() => void make()}>
              {data.HasKey ? words.settings.calendarAnother : words.settings.calendarMake}
            </Button>
            {data.HasKey === 1 && (
              <Button kind="danger" busy={isBusy} onClick={() => void remove()}>
                {words.settings.calendarRemove}
              </Button>
            )}
          </div>
        </>
      )}
    </Group>
  )
}
