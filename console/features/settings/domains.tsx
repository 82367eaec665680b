import { useState } from 'react'
import { type Body, call, type Params } from '@/api/call.ts'
import { errorDetails, invalidate, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { ago } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field, Select, Switch } from '@/ui/field.tsx'
import { Detail } from '@/ui/layout.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { SavedField, SettingsGroup, SettingsRow, SettingsSection } from './section.tsx'
import * as styles from './settings.module.css'

type Cname = Body<'v2 GET /cname'>['Items'][number]
const invalidates = ['v2 GET /cname', 'GET /link-settings'] as const

/** Domains of short links, and the defaults of new links. */
export function Domains() {
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useApiQuery('v2 GET /cname', {})
  const [removed, setRemoved] = useState<Cname>()
  const recheck = useApiMutation('v2 POST /cname/{id}', {
    invalidates,
    onSuccess: ({ Cname: { Name } }) => toast(texts.settings.domainFine(Name)),
    onError: ({ message }) => toast(message, { kind: 'problem' }),
  })
  return (
    <SettingsSection
      calls={[
        'GET /v2/cname',
        'POST /v2/cname',
        'POST /v2/cname/{id}',
        'DELETE /v2/cname/{id}',
        'POST /app/api/link-settings',
      ]}
    >
      <SettingsGroup title={texts.settings.section.domains} description={texts.settings.domainsWhy}>
        {mayChange && <AddDomainForm />}
        {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data?.Items.length === 0 && <p className="muted">{texts.settings.noDomains}</p>}
        <ul className={styles.rows}>
          {data?.Items.map((cname) => (
            <SettingsRow key={cname.Id} title={cname.Name} details={texts.settings.addedAgo(ago(cname.Created, ''))}>
              {mayChange && (
                <>
                  <Button
                    icon="again"
                    busy={recheck.isPending && recheck.variables.id === cname.Id}
                    onClick={() => recheck.mutate({ id: cname.Id, cname: cname.Name })}
                  >
                    {texts.settings.lookAgain}
                  </Button>
                  <Button variant="danger" onClick={() => setRemoved(cname)}>
                    {texts.settings.remove}
                  </Button>
                </>
              )}
            </SettingsRow>
          ))}
        </ul>
      </SettingsGroup>
      <LinkSettings domains={data?.Items ?? []} mayChange={mayChange} />
      {removed && <RemoveDomainDialog cname={removed} onClose={() => setRemoved(undefined)} />}
    </SettingsSection>
  )
}

function AddDomainForm() {
  const [cname, setCname] = useState('')
  const add = useApiMutation('v2 POST /cname', {
    invalidates,
    onSuccess: ({ Cname: { Name } }) => {
      setCname('')
      toast(texts.settings.domainAdded(Name))
    },
  })
  return (
    <form
      data-testid="settings-adding"
      className={styles.adding}
      onSubmit={(event) => {
        event.preventDefault()
        if (!add.isPending) add.mutate({ cname })
      }}
    >
      <Field
        label={texts.settings.domain}
        name="cname"
        placeholder="go.example.com"
        value={cname}
        maxLength={300}
        hint={texts.settings.domainWhy}
        error={add.error?.message}
        onChange={setCname}
      />
      <Button type="submit" busy={add.isPending}>
        {texts.settings.addDomain}
      </Button>
    </form>
  )
}

function RemoveDomainDialog({ cname: { Id, Name }, onClose }: { cname: Cname; onClose: () => void }) {
  const remove = useApiMutation('v2 DELETE /cname/{id}', { invalidates, onSuccess: onClose })
  return (
    <Dialog
      title={texts.settings.removing(Name)}
      onClose={onClose}
      onSubmit={() => remove.isPending || remove.mutate({ id: Id })}
    >
      {remove.error && <ErrorMessage {...errorDetails(remove.error)} />}
      <p>{texts.settings.removeDomainWhy(Name)}</p>
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="danger" type="submit" busy={remove.isPending}>
          {texts.settings.remove}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

type Settings = Body<'GET /link-settings'>['LinkSettings']

const utms = ['Source', 'Medium', 'Campaign', 'Term', 'Content'] as const
const nameOf = (utm: (typeof utms)[number]) => `utm${utm}` as const

const save = async (change: Params<'POST /link-settings'>) => {
  await call('POST /link-settings', change)
  invalidate('GET /link-settings')
}

const saveOrSay = (change: Params<'POST /link-settings'>) =>
  void save(change).catch((error) => toast(errorDetails(error).message, { kind: 'problem' }))

interface LinkSettingsProps {
  domains: readonly { Id: string; Name: string }[]
  mayChange: boolean
}

/** Defaults of new short links; existing links do not change. */
export function LinkSettings({ domains, mayChange }: LinkSettingsProps) {
  const { data, error, refetch } = useApiQuery('GET /link-settings', {})
  const settings = data?.LinkSettings
  return (
    <SettingsGroup title={texts.settings.newLinks} description={texts.settings.newLinksWhy}>
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {!settings && !error && <Loading />}
      {settings &&
        (mayChange ? (
          <LinkSettingsForm settings={settings} domains={domains} />
        ) : (
          <LinkSettingsView settings={settings} domains={domains} />
        ))}
    </SettingsGroup>
  )
}

interface Shown {
  settings: Settings
  domains: LinkSettingsProps['domains']
}

const LinkSettingsForm = ({ settings, domains }: Shown) => (
  <div data-testid="settings-fields" className={styles.fields}>
    <Select
      label={texts.settings.linkDomain}
      value={settings.CnameId ?? ''}
      options={[
        { value: '', label: texts.settings.ownHost },
        ...domains.map(({ Id, Name }) => ({ value: Id, label: Name })),
      ]}
      onChange={(cnameId) => saveOrSay({ cnameId })}
    />
    {utms.map((utm) => {
      const value = settings[`Utm${utm}`]
      return (
        <SavedField
          key={utm}
          label={`utm_${utm.toLowerCase()}`}
          value={value ?? ''}
          placeholder={value === null ? texts.settings.standard : texts.settings.leftOut}
          dir="auto"
          onSave={(text) => save({ [nameOf(utm)]: text })}
          after={
            value !== null && (
              <Button variant="ghost" onClick={() => saveOrSay({ inherit: [nameOf(utm)] })}>
                {texts.settings.standard}
                <span className="visually-hidden"> utm_{utm.toLowerCase()}</span>
              </Button>
            )
          }
        />
      )
    })}
    <SavedField
      label={texts.settings.clickParameter}
      hint={texts.settings.clickParameterWhy}
      value={settings.ClickParameter}
      maxLength={40}
      onSave={(clickParameter) => save({ clickParameter })}
    />
    <Switch
      label={texts.settings.doNotTrack}
      hint={texts.settings.doNotTrackWhy}
      checked={settings.RespectsDoNotTrack === 1}
      onChange={(respectsDoNotTrack) => saveOrSay({ respectsDoNotTrack })}
    />
  </div>
)

const LinkSettingsView = ({ settings, domains }: Shown) => (
  <dl className={styles.facts}>
    <Detail name={texts.settings.linkDomain}>
      {domains.find(({ Id }) => Id === settings.CnameId)?.Name ?? texts.settings.ownHost}
    </Detail>
    {utms.map((utm) => (
      <Detail key={utm} name={`utm_${utm.toLowerCase()}`}>
        <span dir="auto">{settings[`Utm${utm}`] ?? texts.settings.standard}</span>
      </Detail>
    ))}
    <Detail name={texts.settings.doNotTrack}>{settings.RespectsDoNotTrack ? texts.shell.on : texts.shell.off}</Detail>
  </dl>
)
