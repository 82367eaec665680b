import { call } from '@/api/call.ts'
import { readAgain, told, useCall } from '@/api/queries.ts'
import { useAdmins, useMay } from '@/api/session.ts'
import { list, number, shortDay } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { momentOf } from '@/time/days.ts'
import { CopyButton } from '@/ui/field.tsx'
import { Fact } from '@/ui/layout.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { Group, Part, SavedField } from './section.tsx'

/** The account itself. Who may not change it reads it. */
export function Account() {
  const mayChange = useMay()('administer')
  const admins = useAdmins()
  const { data, error, refetch } = useCall('GET /account', {})
  const rename = async (name: string) => {
    await call('POST /account', { name })
    readAgain('GET /account', 'GET /session')
  }
  return (
    <Part calls={['GET /app/api/account', 'POST /app/api/account', 'GET /v2/me']}>
      <Group title={words.settings.section.account}>
        {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
        {!data && !error && <Waiting />}
        {data && (
          <div className="settings-fields">
            {mayChange && (
              <SavedField
                label={words.settings.accountName}
                hint={words.settings.accountNameWhy}
                value={data.Account.Name}
                maxLength={255}
                dir="auto"
                onSave={rename}
              />
            )}
            <dl className="settings-facts">
              {!mayChange && (
                <Fact name={words.settings.accountName}>
                  <span dir="auto">{data.Account.Name}</span>
                </Fact>
              )}
              <Fact name={words.settings.accountId}>
                <code>{data.Account.Id}</code> <CopyButton text={data.Account.Id} />
              </Fact>
              <Fact name={words.settings.accountSince}>{shortDay(momentOf(data.Account.Created))}</Fact>
              <Fact name={words.settings.accountUsers}>
                {words.settings.usersOf(number(data.Account.Users), number(data.Account.UsersMost))}
              </Fact>
              <Fact name={words.settings.admins}>
                <span dir="auto">{list(admins)}</span>
              </Fact>
            </dl>
          </div>
        )}
      </Group>
    </Part>
  )
}
