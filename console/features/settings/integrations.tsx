import { useState } from 'react'
import { type Body, call, type Params } from '@/api/call.ts'
import { errorDetails, invalidate, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith, setSearch, useLocation } from '@/routes/router.ts'
import { StatusBadge } from '@/ui/badges.tsx'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field, PasswordField, Select, Switch } from '@/ui/field.tsx'
import { Detail } from '@/ui/layout.tsx'
import { EmptyState, ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { SettingsGroup, SettingsRow, SettingsSection } from './section.tsx'
import * as styles from './settings.module.css'

type Integration = Body<'v2 GET /integration'>['Items'][number]

/** External systems that Chorus connects to, such as ticketing. */
export function Integrations() {
  const { search } = useLocation()
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useApiQuery('v2 GET /integration', { _count: 100 })
  const types = useApiQuery('GET /integration-types', {}).data?.Items ?? []
  const openId = search.get('integration') ?? ''
  const close = () => setSearch({ integration: '' })
  return (
    <SettingsSection
      calls={[
        'GET /v2/integration',
        'POST /v2/integration',
        'POST /v2/integration/{id}',
        'PUT /app/api/integration/{id}/settings',
      ]}
    >
      <SettingsGroup
        title={texts.settings.section.integrations}
        description={texts.settings.integrationsWhy}
        actions={
          mayChange && (
            <Button variant="primary" icon="plus" onClick={() => setSearch({ integration: 'new' })}>
              {texts.settings.newIntegration}
            </Button>
          )
        }
      >
        {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data?.Items.length === 0 && <EmptyState icon="outside" title={texts.settings.noIntegrations} />}
        <ul className={styles.rows}>
          {data?.Items.map((one) => (
            <IntegrationRow key={one.Id} integration={one} types={types} mayChange={mayChange} />
          ))}
        </ul>
      </SettingsGroup>
      {mayChange && openId === 'new' && <NewIntegration types={types} onClose={close} />}
      {openId && openId !== 'new' && (
        <IntegrationDialog key={openId} id={openId} types={types} mayChange={mayChange} onClose={close} />
      )}
    </SettingsSection>
  )
}

interface RowProps {
  integration: Integration
  types: readonly IntegrationType[]
  mayChange: boolean
}

function IntegrationRow({ integration: { Id, Type, Status, State, SettingsData }, types, mayChange }: RowProps) {
  const change = useApiMutation('v2 POST /integration/{id}', {
    invalidates: integrationLists,
    onError: ({ message }) => toast(message, { kind: 'problem' }),
  })
  const isOn = change.isPending ? change.variables.state === 'active' : State === 'active'
  const title = types.find((one) => one.Type === Type)?.Title ?? Type
  const address = (SettingsData as { baseUrl?: unknown } | null)?.baseUrl
  return (
    <SettingsRow
      title={title}
      details={typeof address === 'string' ? address : texts.settings.noAddress}
      badge={
        <StatusBadge status={Status === 'valid' ? 'sent' : 'failed'}>
          {Status === 'valid' ? texts.settings.works : texts.settings.worksNot}
        </StatusBadge>
      }
    >
      {mayChange && (
        <Switch
          label={
            <>
              {texts.settings.switchedOn}
              <span className="visually-hidden"> {title}</span>
            </>
          }
          checked={isOn}
          onChange={(on) => change.mutate({ id: Id, state: on ? 'active' : 'disabled' })}
        />
      )}
      <LinkButton href={hrefWith({ integration: Id })}>
        {mayChange ? texts.settings.change : texts.settings.showMore}
      </LinkButton>
    </SettingsRow>
  )
}

function NewIntegration({ types, onClose }: { types: readonly IntegrationType[]; onClose: () => void }) {
  const [type, setType] = useState(types[0]?.Type ?? '')
  const create = useApiMutation('v2 POST /integration', {
    invalidates: integrationLists,
    onSuccess: ({ Integration: created }) => setSearch({ integration: created.Id }, { replace: true }),
  })
  return (
    <Dialog
      title={texts.settings.newIntegration}
      onClose={onClose}
      onSubmit={() => create.isPending || create.mutate({ type: type || (types[0]?.Type ?? '') })}
    >
      {create.error && <ErrorMessage {...errorDetails(create.error)} />}
      <Select
        label={texts.settings.system}
        value={type || (types[0]?.Type ?? '')}
        options={types.map((one) => ({ value: one.Type, label: one.Title }))}
        onChange={setType}
      />
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="primary" type="submit" busy={create.isPending}>
          {texts.settings.next}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface DialogProps {
  id: string
  types: readonly IntegrationType[]
  mayChange: boolean
  onClose: () => void
}

/** Connection settings and credentials of an external system. */
export function IntegrationDialog({ id, types, mayChange, onClose }: DialogProps) {
  const { data, error } = useApiQuery('GET /integration/{id}', { id }, { keepPrevious: false })
  if (data)
    return (
      <Open
        integration={data.Integration}
        type={types.find(({ Type }) => Type === data.Integration.Type)}
        mayChange={mayChange}
        onClose={onClose}
      />
    )
  return error ? (
    <Dialog title={texts.settings.section.integrations} onClose={onClose}>
      <ErrorMessage {...errorDetails(error)} />
    </Dialog>
  ) : null
}

type Name = Exclude<keyof Params<'PUT /integration/{id}/settings'>, 'id'>
const writable: ReadonlySet<string> = new Set<Name>([
  ...(['baseUrl', 'clientId', 'apiVersion', 'caseKey', 'pipeline', 'stage'] as const),
  ...(['clientSecret', 'accessToken', 'refreshToken'] as const),
])
const writableOf = (names: readonly string[]) => names.filter((name): name is Name => writable.has(name))

interface OpenProps extends Pick<DialogProps, 'mayChange' | 'onClose'> {
  integration: Body<'GET /integration/{id}'>['Integration']
  type: IntegrationType | undefined
}

function Open({ integration: { Id, Type, Status, StatusReason, SettingsData }, type, mayChange, onClose }: OpenProps) {
  const known = (SettingsData ?? {}) as { [name: string]: unknown }
  const [typed, setTyped] = useState<{ [name in Name]?: string }>({})
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  const remove = useApiMutation('v2 DELETE /integration/{id}', {
    invalidates: integrationLists,
    onError: setProblem,
    onSuccess: onClose,
  })
  const settings = writableOf(type?.Settings ?? [])
  const secrets = writableOf(type?.Secrets ?? [])
  /** Bypasses the query cache: secrets are sent and not kept. */
  const save = async () => {
    if (isDeleting) return remove.mutate({ id: Id })
    if (!mayChange) return onClose()
    setIsBusy(true)
    try {
      const { Integration } = await call('PUT /integration/{id}/settings', { id: Id, ...typed })
      setTyped({})
      setProblem(undefined)
      if (Integration.Status === 'valid') {
        toast(texts.settings.integrationWorks(type?.Title ?? Type))
        onClose()
      }
    } catch (error) {
      setProblem(error)
    }
    setIsBusy(false)
    invalidate(...integrationLists)
  }
  return (
    <Dialog title={type?.Title ?? Type} onClose={onClose} onSubmit={() => isBusy || void save()}>
      {problem !== undefined && <ErrorMessage {...errorDetails(problem)} />}
      {Status === 'invalid' && StatusReason && <p className={styles.reason}>{StatusReason}</p>}
      {isDeleting && <p>{texts.settings.deleteIntegrationWhy(type?.Title ?? Type)}</p>}
      {!isDeleting &&
        mayChange &&
        settings.map((name) => (
          <Field
            key={name}
            name={name}
            label={texts.settings.integrationFields[name]}
            hint={type?.Required.includes(name) ? texts.settings.required : undefined}
            value={typed[name] ?? String(known[name] ?? '')}
            onChange={(text) => setTyped({ ...typed, [name]: text })}
          />
        ))}
      {!isDeleting &&
        mayChange &&
        secrets.map((name) => (
          <PasswordField
            key={name}
            name={name}
            label={texts.settings.integrationFields[name]}
            hint={texts.settings.secretWhy(type?.Required.includes(name) ?? false)}
            autoComplete="off"
            value={typed[name] ?? ''}
            onChange={(text) => setTyped({ ...typed, [name]: text })}
          />
        ))}
      {!mayChange && (
        <dl className={styles.facts}>
          {settings.map((name) => (
            <Detail key={name} name={texts.settings.integrationFields[name]}>
              {String(known[name] ?? '–')}
            </Detail>
          ))}
        </dl>
      )}
      <DialogActions>
        {mayChange && !isDeleting && (
          <Button variant="danger" icon="trash" onClick={() => setIsDeleting(true)}>
            {texts.settings.delete}
          </Button>
        )}
        <Button onClick={onClose}>{mayChange ? texts.ui.cancel : texts.ui.close}</Button>
        {mayChange && (
          <Button variant={isDeleting ? 'danger' : 'primary'} type="submit" busy={isBusy || remove.isPending}>
            {isDeleting ? texts.settings.delete : texts.settings.saveAndTry}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

export type IntegrationType = Body<'GET /integration-types'>['Items'][number]

/** Routes that become stale when an integration changes. */
export const integrationLists = ['v2 GET /integration', 'GET /integration/{id}'] as const
