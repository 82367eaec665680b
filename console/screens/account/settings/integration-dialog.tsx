import { useState } from 'react'
import { Button } from '../../../ui/inputs/button.tsx'
import { Field, PasswordField } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { Fact } from '../../../ui/layers/panel.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Problem } from '../../../ui/layout/states.tsx'
import { type Body, call, type Sent } from '../../../wire/call.ts'
import { readAgain, told, useCall, useChange } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import { type IntegrationType, integrationLists } from './integration.ts'

interface DialogProps {
  id: string
  types: readonly IntegrationType[]
  mayChange: boolean
  onClose: () => void
}

/** How another system is reached, and by what it lets us in. */
export function IntegrationDialog({ id, types, mayChange, onClose }: DialogProps) {
  const { data, error } = useCall('GET /integration/{id}', { id }, { keepsLast: false })
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
    <Dialog title={words.settings.section.integrations} onClose={onClose}>
      <Problem {...told(error)} />
    </Dialog>
  ) : null
}

type Name = Exclude<keyof Sent<'PUT /integration/{id}/settings'>, 'id'>
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
  const remove = useChange('v2 DELETE /integration/{id}', {
    stale: integrationLists,
    refused: setProblem,
    done: onClose,
  })
  const settings = writableOf(type?.Settings ?? [])
  const secrets = writableOf(type?.Secrets ?? [])
  /** Not by what keeps answers: secrets are sent and forgotten. */
  const save = async () => {
    if (isDeleting) return remove.mutate({ id: Id })
    if (!mayChange) return onClose()
    setIsBusy(true)
    try {
      const { Integration } = await call('PUT /integration/{id}/settings', { id: Id, ...typed })
      setTyped({})
      setProblem(undefined)
      if (Integration.Status === 'valid') {
        say(words.settings.integrationWorks(type?.Title ?? Type))
        onClose()
      }
    } catch (error) {
      setProblem(error)
    }
    setIsBusy(false)
    readAgain(...integrationLists)
  }
  return (
    <Dialog title={type?.Title ?? Type} onClose={onClose} onSubmit={() => isBusy || void save()}>
      {problem !== undefined && <Problem {...told(problem)} />}
      {Status === 'invalid' && StatusReason && <p className="settings-reason">{StatusReason}</p>}
      {isDeleting && <p>{words.settings.deleteIntegrationWhy(type?.Title ?? Type)}</p>}
      {!isDeleting &&
        mayChange &&
        settings.map((name) => (
          <Field
            key={name}
            name={name}
            label={words.settings.integrationFields[name]}
            hint={type?.Required.includes(name) ? words.settings.required : undefined}
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
            label={words.settings.integrationFields[name]}
            hint={words.settings.secretWhy(type?.Required.includes(name) ?? false)}
            autoComplete="off"
            value={typed[name] ?? ''}
            onChange={(text) => setTyped({ ...typed, [name]: text })}
          />
        ))}
      {!mayChange && (
        <dl className="settings-facts">
          {settings.map((name) => (
            <Fact key={name} name={words.settings.integrationFields[name]}>
              {String(known[name] ?? '–')}
            </Fact>
          ))}
        </dl>
      )}
      <DialogActions>
        {mayChange && !isDeleting && (
          <Button kind="danger" icon="trash" onClick={() => setIsDeleting(true)}>
            {words.settings.delete}
          </Button>
        )}
        <Button onClick={onClose}>{mayChange ? words.ui.cancel : words.ui.close}</Button>
        {mayChange && (
          <Button kind={isDeleting ? 'danger' : 'main'} type="submit" busy={isBusy || remove.isPending}>
            {isDeleting ? words.settings.delete : words.settings.saveAndTry}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
