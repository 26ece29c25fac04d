-- An operator who takes an old pepper out of the secrets file is told what still rests under it: refresh tokens as well.
grant select (pepper, used_at, expires_at) on oauth_refresh_tokens to stint_lookup;
