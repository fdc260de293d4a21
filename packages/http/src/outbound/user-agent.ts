/** What providers see in `user-agent`. */
export const USER_AGENT = 'understudy/0.0.0'
