import { useState } from 'react'
import { call, type Params } from '@/api/call.ts'
import { setAppearance, useDensity, useTheme } from '@/api/preferences.ts'
import { errorDetails, invalidate, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay, useSession } from '@/api/session.ts'
import { ago } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { setSingleKeys, useSingleKeys } from '@/shell/shortcuts.ts'
import { timeZoneOptions } from '@/time/days.ts'
import { Button } from '@/ui/button.tsx'
import { Combobox } from '@/ui/combobox.tsx'
import * as fieldStyles from '@/ui/field.module.css'
import { Checkbox, CopyField, HiddenUsername, PasswordField, SegmentedControl, Switch } from '@/ui/field.tsx'
import { Detail } from '@/ui/layout.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { SavedField, SettingsGroup, SettingsSection } from './section.tsx'
import * as styles from './settings.module.css'
import { ShortcutSettings } from './shortcuts.tsx'

/** The user's own settings: profile, preferences of this browser, email notifications. */
export const Me = () => (
  <SettingsSection
    calls={[
      'POST /app/api/me',
      'GET /v2/notification',
      'POST /v2/notification',
      'POST /app/api/password',
      'POST /app/api/calendar-key',
    ]}
  >
    <Person />
    <BrowserPreferences />
    <ShortcutSettings />
    <EmailNotifications />
    <Password />
    <CalendarLink />
  </SettingsSection>
)

const changeMe = async (change: Params<'POST /me'>) => {
  await call('POST /me', change)
  invalidate('GET /session', 'v2 GET /user/{id}', 'GET /user')
}

function Person() {
  const { User } = useSession()
  const { data, error, refetch } = useApiQuery('v2 GET /user/{id}', { id: User.Id })
  const zone = (timezone: string) =>
    changeMe({ timezone }).then(
      () => toast(texts.settings.zoneChanged(timezone)),
      (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
    )
  return (
    <SettingsGroup title={texts.settings.person}>
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <div data-testid="settings-fields" className={styles.fields}>
          <SavedField
            label={texts.settings.firstName}
            value={data.User.FirstName}
            maxLength={64}
            dir="auto"
            autoComplete="given-name"
            onSave={(firstName) => changeMe({ firstName })}
          />
          <SavedField
            label={texts.settings.lastName}
            value={data.User.LastName}
            maxLength={64}
            dir="auto"
            autoComplete="family-name"
            onSave={(lastName) => changeMe({ lastName })}
          />
          <Combobox
            label={texts.settings.zone}
            hint={texts.settings.zoneWhy}
            options={timeZoneOptions()}
            value={User.Timezone}
            onChange={(timezone) => void zone(timezone)}
          />
          <dl className={styles.facts}>
            <Detail name={texts.settings.email}>{User.Email}</Detail>
            <Detail name={texts.settings.role}>{texts.shell.role[User.Role]}</Detail>
            <Detail name={texts.settings.language}>{texts.settings.languageIs}</Detail>
          </dl>
        </div>
      )}
    </SettingsGroup>
  )
}

const optionsOf = <Value extends string>(names: { [value in Value]: string }) =>
  Object.entries(names).map(([value, label]) => ({ value: value as Value, label: label as string }))

function BrowserPreferences() {
  return (
    <SettingsGroup title={texts.settings.browser} description={texts.settings.browserWhy}>
      <div data-testid="settings-fields" className={styles.fields}>
        <div data-ui="field-frame" className={fieldStyles.frame}>
          <span className={fieldStyles.frameLabel}>{texts.shell.theme}</span>
          <SegmentedControl
            label={texts.shell.theme}
            value={useTheme()}
            options={optionsOf(texts.shell.themes)}
            onChange={(value) => setAppearance('theme', value)}
          />
        </div>
        <div data-ui="field-frame" className={fieldStyles.frame}>
          <span className={fieldStyles.frameLabel}>{texts.shell.density}</span>
          <SegmentedControl
            label={texts.shell.density}
            value={useDensity()}
            options={optionsOf(texts.shell.densities)}
            onChange={(value) => setAppearance('density', value)}
          />
        </div>
        <Switch
          label={texts.shell.singleKeys}
          hint={texts.settings.singleKeysWhy}
          checked={useSingleKeys()}
          onChange={setSingleKeys}
        />
      </div>
    </SettingsGroup>
  )
}

/** Read-only users can see their notification settings. */
function EmailNotifications() {
  const mayChange = useMay()('contribute')
  const { data, error, refetch } = useApiQuery('v2 GET /notification', {})
  const change = useApiMutation('v2 POST /notification', {
    invalidates: ['v2 GET /notification'],
    onError: ({ message }) => toast(message, { kind: 'problem' }),
  })
  const names = Object.keys(texts.settings.emails) as (keyof typeof texts.settings.emails)[]
  const chosen = data && { ...data.Items, ...(change.isPending && change.variables) }
  return (
    <SettingsGroup
      title={texts.settings.emailsTitle}
      description={mayChange ? texts.settings.emailsWhy : texts.settings.emailsRead}
    >
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {!chosen && !error && <Loading />}
      {chosen &&
        names.map((name) =>
          mayChange ? (
            <Switch
              key={name}
              label={texts.settings.emails[name]}
              checked={Boolean(chosen[name])}
              onChange={(isOn) => change.mutate({ [name]: isOn })}
            />
          ) : (
            <p key={name}>
              {texts.settings.emails[name]}: {chosen[name] ? texts.shell.on : texts.shell.off}
            </p>
          ),
        )}
    </SettingsGroup>
  )
}

function Password() {
  const { User } = useSession()
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
      invalidate('GET /sessions', 'GET /api-key', 'GET /calendar-key')
      toast(revokeKeys ? texts.settings.keysRevoked : texts.settings.passwordChanged)
    } catch (error) {
      setProblem(error)
    }
    setIsBusy(false)
  }
  return (
    <SettingsGroup title={texts.settings.password} description={texts.settings.passwordWhy}>
      <form
        data-testid="settings-fields"
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy) void change()
        }}
      >
        {problem !== undefined && <ErrorMessage {...errorDetails(problem)} />}
        <HiddenUsername email={User.Email} />
        <PasswordField
          label={texts.settings.presentPassword}
          name="present"
          autoComplete="current-password"
          required
          value={present}
          onChange={setPresent}
        />
        <PasswordField
          label={texts.settings.newPassword}
          name="password"
          autoComplete="new-password"
          hint={texts.settings.newPasswordWhy}
          required
          minLength={8}
          maxLength={256}
          value={password}
          onChange={setPassword}
        />
        <Checkbox
          label={texts.settings.revokeKeys}
          hint={texts.settings.revokeKeysHint}
          name="revokeKeys"
          checked={revokeKeys}
          onChange={setRevokeKeys}
        />
        <div>
          <Button type="submit" busy={isBusy}>
            {texts.settings.changePassword}
          </Button>
        </div>
      </form>
    </SettingsGroup>
  )
}

/** The iCalendar URL of the user's calendar. Shown once when created; not kept here. */
export function CalendarLink() {
  const { data, error, refetch } = useApiQuery('GET /calendar-key', {})
  const [url, setUrl] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const change = async (work: () => Promise<string | undefined>) => {
    setIsBusy(true)
    try {
      setUrl(await work())
    } catch (failure) {
      toast(errorDetails(failure).message, { kind: 'problem' })
    }
    setIsBusy(false)
    invalidate('GET /calendar-key')
  }
  const make = () => change(async () => (await call('POST /calendar-key', {})).Url)
  const remove = () =>
    change(async () => {
      await call('DELETE /calendar-key')
      toast(texts.settings.calendarRemoved)
      return undefined
    })
  return (
    <SettingsGroup title={texts.settings.calendar} description={texts.settings.calendarWhy}>
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {url !== undefined && (
        <>
          <CopyField label={texts.settings.calendarUrl} text={url} />
          <p className={fieldStyles.hint}>{texts.settings.shownOnce}</p>
        </>
      )}
      {data && (
        <>
          <p>
            {data.HasKey
              ? texts.settings.calendarThere(
                  ago(data.Created, texts.settings.never),
                  ago(data.LastUsed, texts.settings.never),
                )
              : texts.settings.calendarNone}
          </p>
          <div data-testid="actions" className={styles.actions}>
            <Button busy={isBusy} onClick={() => void make()}>
              {data.HasKey ? texts.settings.calendarAnother : texts.settings.calendarMake}
            </Button>
            {data.HasKey === 1 && (
              <Button variant="danger" busy={isBusy} onClick={() => void remove()}>
                {texts.settings.calendarRemove}
              </Button>
            )}
          </div>
        </>
      )}
    </SettingsGroup>
  )
}
