-- Every exchange of a refresh token writes an access token, whose key locked the row of the organization: all that are under way
-- at once shared that lock, and with eight of them the insert took 124 instead of 161 µs without it. No role may delete an
-- organization, and a token is made where one has been read: by a member, a grant, a person of it, or the operator by its name.
alter table access_tokens drop constraint access_tokens_organization_id_fkey;
